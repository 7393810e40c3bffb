import {
  reconnectPauseMs,
  type Arg,
  type ReplyHandler,
  type ChannelNaming,
  type LinkFactory,
  type LinkOwner,
  type RedisLink,
} from '../../../libs/lock/src/backends/redis/connection/link.js';
import type { Reply } from '../node/reply.js';
import type { SimNode } from '../node/sim-node.js';
import type { SimProcess } from '../world/sim-process.js';
import type { NetworkPath } from './network-path.js';
import { asText, decoded, wordsOf } from './resp.js';
import { SimConnection, type ConnectionEnd } from './sim-connection.js';

/** A client waits so long for a connection to be made, ms. */
const CONNECT_MS = 10_000;

/** How a client library behaves. */
export interface LinkSettings {
  /** True if calls in flight are never settled when a connection is lost; otherwise they are rejected. */
  readonly forgetsLost: boolean;
}

interface Pending {
  readonly replyHandler: ReplyHandler;
  readonly decode: (reply: Reply) => unknown;
}

/** A client of a simulated server, as the links of real clients are: it reconnects for ever and sends nothing twice. */
export class SimLink implements RedisLink {
  readonly database = 0;
  readonly isSharded = false;
  isWritable = false;
  #owner: LinkOwner | undefined;
  #connection: SimConnection | undefined;
  #pending: Pending[] = [];
  #attempts = 0;
  #isClosed = false;

  constructor(
    private readonly process: SimProcess,
    private readonly node: SimNode,
    private readonly path: NetworkPath,
    private readonly settings: LinkSettings,
  ) {}

  connect(owner: LinkOwner): void {
    this.#owner = owner;
    this.#dial();
  }

  reconnect(): void {
    const connection = this.#connection;
    if (connection === undefined || this.#isClosed) return;
    this.process.tell(() => `gives up a connection to ${this.node.name}`);
    this.#drop(connection);
  }

  close(): void {
    this.#isClosed = true;
    if (this.#connection !== undefined) this.#drop(this.#connection);
  }

  run(_command: string, text: string, replyHandler: ReplyHandler): void {
    this.#send(wordsOf(text), { replyHandler, decode: decoded });
  }

  call(command: string, args: readonly Arg[]): Promise<unknown> {
    return this.#ask([command, ...args.map((arg) => Buffer.from(String(arg)).toString('latin1'))]);
  }

  subscribe(channels: readonly string[], as: ChannelNaming = 'names'): Promise<unknown> {
    return this.#ask([as === 'patterns' ? 'psubscribe' : 'subscribe', ...channels]);
  }

  unsubscribe(channels: readonly string[], as: ChannelNaming = 'names'): Promise<unknown> {
    return this.#ask([as === 'patterns' ? 'punsubscribe' : 'unsubscribe', ...channels]);
  }

  #ask(words: readonly string[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#send(words, { replyHandler: { replied: resolve, failed: reject }, decode: asText });
    });
  }

  #send(words: readonly string[], pending: Pending): void {
    this.#pending.push(pending);
    this.#connection!.request(words);
  }

  #dial(): void {
    const { process, node, path } = this;
    const at = path.arrival(path.arrival(process.time));
    if (at - process.time > CONNECT_MS) {
      process.receive(process.time + CONNECT_MS, () => this.#failed('connect ETIMEDOUT'));
      return;
    }
    process.receive(at, () => {
      if (this.#isClosed) return;
      if (node.isDown) return this.#failed('connect ECONNREFUSED');
      const connection: SimConnection = new SimConnection(
        process,
        node,
        path,
        this.#endOf(() => connection),
      );
      this.#connection = connection;
      this.#owner!.connected();
      this.#send(['hello'], {
        replyHandler: { replied: () => this.#greeted(), failed: () => undefined },
        decode: asText,
      });
    });
  }

  #endOf(own: () => SimConnection): ConnectionEnd {
    return {
      replied: (reply) => {
        if (this.#connection !== own()) return;
        const { replyHandler, decode } = this.#pending.shift()!;
        const answer = decode(reply);
        if (answer instanceof Error) replyHandler.failed(answer);
        else replyHandler.replied(answer);
      },
      received: (channel, message) => {
        if (this.#connection === own()) this.#owner!.received(channel, message);
      },
      closed: () => {
        if (this.#connection === own()) this.#lost();
      },
    };
  }

  #greeted(): void {
    this.#attempts = 0;
    this.isWritable = true;
    this.#owner!.greeted();
  }

  #failed(reason: string): void {
    if (this.#isClosed) return;
    this.#owner!.failed(new Error(reason));
    this.#owner!.lost();
    this.#dialLater();
  }

  /** Ends the connection from this side; the loss is reported a moment later. */
  #drop(connection: SimConnection): void {
    if (!connection.isOpenHere) return;
    this.isWritable = false;
    connection.closeHere();
    this.process.receive(this.process.time, () => {
      if (this.#connection === connection) this.#lost();
    });
  }

  #lost(): void {
    this.#connection = undefined;
    this.isWritable = false;
    const pending = this.#pending;
    this.#pending = [];
    this.#owner!.lost();
    if (!this.settings.forgetsLost)
      for (const { replyHandler } of pending) replyHandler.failed(new Error('Connection is closed.'));
    this.#dialLater();
  }

  #dialLater(): void {
    if (this.#isClosed) return;
    this.#attempts += 1;
    this.process.setTimer(() => {
      if (!this.#isClosed) this.#dial();
    }, reconnectPauseMs(this.#attempts));
  }
}

/** Links of one process to one server. */
export function simLinks(
  process: SimProcess,
  node: SimNode,
  path: NetworkPath,
  settings: LinkSettings,
): LinkFactory & { readonly links: readonly SimLink[] } {
  const links: SimLink[] = [];
  return {
    links,
    create() {
      const link = new SimLink(process, node, path, settings);
      links.push(link);
      return link;
    },
  };
}
