import type { Clock, Timer } from '../../../core/clock.js';
import {
  reconnectPauseMs,
  type Arg,
  type ReplyHandler,
  type ChannelNaming,
  type LinkOwner,
  type RedisLink,
} from '../connection/link.js';
import type { MessageListener, NodeRedisApi } from './node-redis-client.js';
import { argumentsOf } from './resp-arguments.js';

/** Texts of replies as buffers: simple strings (`+`) and bulk strings (`$`). */
const RAW = { typeMapping: { [0x2b]: Buffer, [0x24]: Buffer } };

/**
 * A link through node-redis 5 or 6. A client cannot drop a connection without ending for good, so
 * each connection has a client of its own. Hence no state of a lost connection can reach the next
 * one.
 */
export class NodeRedisLink implements RedisLink {
  #owner: LinkOwner | undefined;
  #client: NodeRedisApi | undefined;
  /** Destroys the socket of the current client in any state. */
  #socketAbort = new AbortController();
  /** Connection attempts since the last handshake. */
  #attempts = 0;
  #pause: Timer | undefined;

  constructor(
    private readonly makeClient: (signal: AbortSignal) => NodeRedisApi,
    readonly database: number,
    private readonly clock: Clock,
    readonly isSharded: boolean,
  ) {}

  get isWritable(): boolean {
    return this.#client?.isReady === true;
  }

  connect(owner: LinkOwner): void {
    this.#owner = owner;
    this.#connect(owner);
  }

  reconnect(): void {
    this.#socketAbort.abort();
  }

  close(): void {
    if (this.#pause !== undefined) this.clock.clearTimer(this.#pause);
    this.#drop();
  }

  run(_command: string, text: string, replyHandler: ReplyHandler): void {
    this.#client!.sendCommand(argumentsOf(text), RAW).then(
      (reply) => replyHandler.replied(reply),
      (error: Error) => replyHandler.failed(error),
    );
  }

  call(command: string, args: readonly Arg[]): Promise<unknown> {
    return this.#client!.sendCommand([command, ...args.map(String)]);
  }

  async subscribe(channels: readonly string[], as: ChannelNaming = 'names'): Promise<unknown> {
    const client = this.#client!;
    if (as === 'patterns') return this.isSharded ? undefined : client.pSubscribe(channels, this.#receive);
    if (this.isSharded) return client.sSubscribe(channels, this.#receive);
    return client.subscribe(channels, this.#receive);
  }

  async unsubscribe(channels: readonly string[], as: ChannelNaming = 'names'): Promise<unknown> {
    const client = this.#client!;
    if (as === 'patterns') return this.isSharded ? undefined : client.pUnsubscribe(channels, this.#receive);
    if (this.isSharded) return client.sUnsubscribe(channels, this.#receive);
    return client.unsubscribe(channels, this.#receive);
  }

  readonly #receive: MessageListener = (message, channel) => this.#owner?.received(channel, message);

  #connect(owner: LinkOwner): void {
    this.#socketAbort = new AbortController();
    const { signal } = this.#socketAbort;
    const client = this.makeClient(signal);
    const isPresent = (): boolean => client === this.#client;
    const end = (error?: Error): void => {
      if (!isPresent()) return;
      if (error !== undefined && !signal.aborted) owner.failed(error);
      this.#drop();
      owner.lost();
      this.#attempts += 1;
      this.#pause = this.clock.setTimer(() => this.#connect(owner), reconnectPauseMs(this.#attempts));
    };
    client.on('connect', () => {
      if (isPresent()) owner.connected();
    });
    client.on('ready', () => {
      if (!isPresent()) return;
      this.#attempts = 0;
      owner.greeted();
    });
    client.on('sharded-channel-moved', () => {
      if (isPresent()) owner.moved();
    });
    client.on('error', end);
    // If the server hangs up right after the handshake, version 5 reconnects without an error.
    client.on('reconnecting', () => end());
    this.#client = client;
    client.connect().catch(() => undefined);
  }

  #drop(): void {
    const client = this.#client;
    this.#client = undefined;
    client?.destroy();
    // The client does not know a socket that is still connecting.
    this.#socketAbort.abort();
  }
}
