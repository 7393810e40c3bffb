import type { ExecutionContext } from '@nestjs/common';
import { isConnection, type ClientConnection } from './connection-close.js';

/** The client of a handler, as far as the transport exposes it. */
export interface HandlerClient {
  /** The client has disconnected once any of these ends. */
  readonly connections: readonly ClientConnection[];
  /** True once the client has its whole response: a connection that closes afterwards aborts nothing. */
  isAnswered(): boolean;
}

interface IncomingRequest {
  /** Present on Fastify. */
  readonly raw?: IncomingRequest;
  readonly socket?: unknown;
  /** Present on Express. */
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

/** Undefined for transports that do not report a disconnect: message brokers, jobs. */
export function clientOf(context: ExecutionContext): HandlerClient | undefined {
  const args = context.getArgs<unknown[]>();
  switch (context.getType<string>()) {
    case 'http':
      return httpClient(args[0] as IncomingRequest, args[1] as OutgoingResponse);
    case 'graphql':
      // Every resolver's arguments end with the context and the info.
      return graphqlClient(args.at(-2) as GraphqlContext | undefined);
    case 'ws':
      return client([args[0]]);
    case 'rpc':
      // The socket of TCP, or the call of gRPC.
      return client([(args[1] as TcpContext | undefined)?.getSocketRef?.()?.netSocket, args[2]]);
    default:
      return undefined;
  }
}

function graphqlClient(context: GraphqlContext | undefined): HandlerClient | undefined {
  const request = context?.req ?? context?.request;
  return request && httpClient(request, context?.res ?? context?.reply ?? request.res);
}

/** Includes the socket: a response queued behind an earlier one gets no event when the connection ends. */
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
