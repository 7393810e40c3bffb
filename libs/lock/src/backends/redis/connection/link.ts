import type { ConnectionOptions as TlsOptions } from 'node:tls';

export type Arg = string | number;

/**
 * The sender of a request. It gets one reply, as the client's decoder gives it (texts are buffers),
 * or one error.
 */
export interface ReplyHandler {
  replied(reply: unknown): void;
  failed(error: Error): void;
}

/**
 * Channels by name, or by pattern. Shard channels have no patterns: subscribing to one does
 * nothing.
 */
export type ChannelNaming = 'names' | 'patterns';

/** Listens to the life of a link. */
export interface LinkOwner {
  /** A connection is open, and the client starts the handshake. */
  connected(): void;
  /** The handshake is done: requests may be sent. */
  greeted(): void;
  /** The connection is lost, or could not be made. Missing answers will not arrive. */
  lost(): void;
  /** Why there is no connection, or why it is about to end. */
  failed(error: Error): void;
  /** A message on a subscribed channel. */
  received(channel: string, message: string): void;
  /**
   * Subscriptions to shard channels have ended: their slot has moved to another server. Not every
   * client reports this.
   */
  moved(): void;
}

/**
 * A dedicated connection through one client library. It reconnects forever. It queues nothing while
 * it is down, and sends nothing twice. It has no time-outs: an answer may never arrive.
 */
export interface RedisLink {
  /** The database that the options select; known once connected. */
  readonly database: number;
  /** The link leads into a cluster: subscriptions and scripts use shard channels. */
  readonly isSharded: boolean;
  /** A request would reach the socket now. Otherwise no request may be sent. */
  readonly isWritable: boolean;
  /** Connects, and reconnects forever until `close()`. Called once. */
  connect(owner: LinkOwner): void;
  /** Destroys the current connection, half-open or not, and makes a new one. */
  reconnect(): void;
  close(): void;
  /** Sends a request that is encoded as RESP already; it goes out in UTF-8. */
  run(command: string, text: string, replyHandler: ReplyHandler): void;
  /** Texts of the reply are strings. */
  call(command: string, args: readonly Arg[]): Promise<unknown>;
  /** Resolves when the server has confirmed. */
  subscribe(channels: readonly string[], as?: ChannelNaming): Promise<unknown>;
  unsubscribe(channels: readonly string[], as?: ChannelNaming): Promise<unknown>;
}

/** Another server for a link. Omitted fields are taken from the options. */
export interface RedisLinkTarget {
  readonly host: string;
  readonly port: number;
  readonly database?: number;
  /** `{}` for a server without authentication. */
  readonly credentials?: { readonly username?: string; readonly password?: string };
  /** `false` for a server without TLS. */
  readonly tls?: TlsOptions | false;
  /** The server belongs to a cluster. @default false */
  readonly isSharded?: boolean;
}

/**
 * Makes links from the user's options or client, which are only read. A link connects on
 * `connect()`.
 */
export interface LinkFactory {
  /** @param target @default the server of the options */
  create(target?: RedisLinkTarget): RedisLink;
}

/** The pause before the n-th connection attempt in a row (n from 1), in ms. */
export function reconnectPauseMs(attempt: number): number {
  return Math.min(50 * 2 ** Math.min(attempt - 1, 10), 1_000);
}
