import type { ExecutionContext } from '@nestjs/common';
import { isConnection, type Connection } from './connection.end.js';

/** Who called a handler, as far as the transport shows it. */
export interface HandlerClient {
  /** The end of any of them means that the client has gone. */
  readonly connections: readonly Connection[];
  /** True once it has its whole answer: what ends afterwards is no departure. */
  isAnswered(): boolean;
}

interface HttpRequest {
  /** Of Fastify. */
  readonly raw?: HttpRequest;
  readonly socket?: unknown;
  /** Of Express. */
  readonly res?: HttpResponse;
}

interface HttpResponse {
  readonly raw?: HttpResponse;
  readonly writableFinished?: boolean;
}

interface GraphqlContext {
  readonly req?: HttpRequest;
  readonly request?: HttpRequest;
  readonly res?: HttpResponse;
  readonly reply?: HttpResponse;
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
      return httpClient(args[0] as HttpRequest, args[1] as HttpResponse);
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
function httpClient(request: HttpRequest, response: HttpResponse | undefined): HandlerClient | undefined {
  const answer = response?.raw ?? response;
  return client([(request.raw ?? request).socket, answer], () => answer?.writableFinished === true);
}

function client(connections: readonly unknown[], isAnswered = NEVER): HandlerClient | undefined {
  const usable = connections.filter(isConnection);
  return usable.length === 0 ? undefined : { connections: usable, isAnswered };
}
