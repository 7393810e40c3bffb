import type { ExecutionContext } from '@nestjs/common';
import { isConnection, type ClientConnection } from './connection-close.js';

/** Who called a handler, as far as the transport shows it. */
export interface HandlerClient {
  /** The end of any of them means that the client has gone. */
  readonly connections: readonly ClientConnection[];
  /** True once it has its whole response: a connection that closes afterwards aborts nothing. */
  isAnswered(): boolean;
}

interface IncomingRequest {
  /** Of Fastify. */
  readonly raw?: IncomingRequest;
  readonly socket?: unknown;
  /** Of Express. */
  readonly res?: OutgoingResponse;
}

interface OutgoingResponse {
  readonly raw?: OutgoingResponse;
  readonly writableFinished?: boolean;
}

interface GraphqlContext {
  readonly req?: IncomingRequest;
  readonly request?: IncomingRequest;
  readonly res?: OutgoingResponse;
  readonly reply?: OutgoingResponse;
}

interface TcpContext {
  getSocketRef?(): { readonly netSocket?: unknown } | undefined;
}

const NEVER = () => false;

/** Undefined where nothing tells that a client has gone: message brokers, jobs. */
export function clientOf(context: ExecutionContext): HandlerClient | undefined {
  const args = context.getArgs<unknown[]>();
  switch (context.getType<string>()) {
    case 'http':
      return httpClient(args[0] as IncomingRequest, args[1] as OutgoingResponse);
    case 'graphql':
      // The arguments end with the context and the info, whatever kind of resolver it is.
      return graphqlClient(args.at(-2) as GraphqlContext | undefined);
    case 'ws':
      return client([args[0]]);
    case 'rpc':
      // The socket of TCP, the call of gRPC.
      return client([(args[1] as TcpContext | undefined)?.getSocketRef?.()?.netSocket, args[2]]);
    default:
      return undefined;
  }
}

function graphqlClient(context: GraphqlContext | undefined): HandlerClient | undefined {
  const request = context?.req ?? context?.request;
  return request && httpClient(request, context?.res ?? context?.reply ?? request.res);
}

/** The socket too: a response that waits behind an earlier one of its connection never learns that this has ended. */
function httpClient(
  request: IncomingRequest,
  response: OutgoingResponse | undefined,
): HandlerClient | undefined {
  const answer = response?.raw ?? response;
  return client([(request.raw ?? request).socket, answer], () => answer?.writableFinished === true);
}

function client(connections: readonly unknown[], isAnswered = NEVER): HandlerClient | undefined {
  const usable = connections.filter(isConnection);
  return usable.length === 0 ? undefined : { connections: usable, isAnswered };
}
