import type { ConnectionOptions as TlsOptions } from 'node:tls';

export type Arg = string | number;

/** Who asked, and is told once: a reply, as the decoder of the client gives it (texts are buffers), or an error. */
export interface ReplyHandler {
  replied(reply: unknown): void;
  failed(error: Error): void;
}

/** Channels by name, or by pattern; there are no patterns of sharded channels: nothing is subscribed to. */
export type ChannelNaming = 'names' | 'patterns';

/** Who is told about the life of a link. */
export interface LinkOwner {
  /** A connection was made, and the client greets the server. */
  connected(): void;
  /** The server has answered the greeting: requests may be sent. */
  greeted(): void;
  /** The connection is gone, or could not be made; so are the answers that are missing. */
  lost(): void;
  /** Why there is no connection, or why it is about to end. */
  failed(error: Error): void;
  /** A message on a channel that was subscribed to. */
  received(channel: string, message: string): void;
  /** Shard channels are not heard any more: their slot has gone to another server. Not every client tells. */
  moved(): void;
}

/**
 * One connection of Bedrock's own through one client library; a lost one is replaced for ever. Nothing is queued while
 * it is down, and nothing is sent twice. Time-outs are not its business: an answer may be missing for ever.
 */
export interface RedisLink {
  /** The database that the options ask for; known once it is connected. */
  readonly database: number;
  /** It leads into a cluster: subscriptions are to shard channels, and scripts publish on such. */
  readonly isSharded: boolean;
  /** A request would be written to the server. Nothing may be asked otherwise. */
  readonly isWritable: boolean;
  /** Connects, and does so again for ever until `close()`. Called once. */
  connect(owner: LinkOwner): void;
  /** Destroys the present connection, half-open or not, for a new one. */
  reconnect(): void;
  close(): void;
  /** Sends a request that was encoded as RESP already, to go out in UTF-8. */
  run(command: string, text: string, replyHandler: ReplyHandler): void;
  /** Texts of the reply are strings. */
  call(command: string, args: readonly Arg[]): Promise<unknown>;
  /** Resolves when the server has confirmed. */
  subscribe(channels: readonly string[], as?: ChannelNaming): Promise<unknown>;
  unsubscribe(channels: readonly string[], as?: ChannelNaming): Promise<unknown>;
}

/** Where a link leads instead of where the options say. What is left out is as the options say. */
export interface RedisLinkTarget {
  readonly host: string;
  readonly port: number;
  readonly database?: number;
  /** `{}` for a server that asks for none. */
  readonly credentials?: { readonly username?: string; readonly password?: string };
  /** `false` for a server without it. */
  readonly tls?: TlsOptions | false;
  /** The server is one of a cluster. @default false */
  readonly isSharded?: boolean;
}

/** Makes links out of what the user gave, which is only read. A link connects when it is told to. */
export interface LinkFactory {
  /** @param target @default where the options lead */
  create(target?: RedisLinkTarget): RedisLink;
}

/** The pause before the n-th attempt to connect in a row (n from 1), in ms. */
export function reconnectPauseMs(attempt: number): number {
  return Math.min(50 * 2 ** Math.min(attempt - 1, 10), 1_000);
}
