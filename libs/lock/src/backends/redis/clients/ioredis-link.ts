import type { Command, Redis } from 'ioredis';
import type { Clock } from '../../../core/clock.js';
import { EncodedRequest, stripped } from './ioredis-request.js';
import type { Arg, ReplyHandler, ChannelNaming, LinkOwner, RedisLink } from '../connection/link.js';

/** A client that could not even begin to connect is told to do so again after this long, in ms. */
const RESTART_MS = 1_000;

/** A link through ioredis 5.3 or newer, or 6, whose own reconnection serves Bedrock's rules well with the right options. */
export class IoredisLink implements RedisLink {
  #client: Redis | undefined;
  #isClosed = false;

  constructor(
    private readonly makeClient: () => Promise<Redis>,
    private readonly clock: Clock,
    readonly isSharded: boolean,
  ) {}

  get database(): number {
    return this.#client?.options.db ?? 0;
  }

  get isWritable(): boolean {
    const client = this.#client;
    return client !== undefined && client.status === 'ready' && client.stream.writable;
  }

  connect(owner: LinkOwner): void {
    this.makeClient().then(
      (client) => {
        if (this.#isClosed) return;
        this.#client = client;
        this.#follow(client, owner);
        this.#connect(client);
      },
      (error: Error) => owner.failed(error),
    );
  }

  reconnect(): void {
    const client = this.#client;
    if (client === undefined || this.#isClosed) return;
    if (client.status !== 'ready' && client.status !== 'connect') return;
    client.disconnect(true);
    // Without this a half-open connection would linger, and calls on it with it.
    client.stream?.destroy();
  }

  close(): void {
    this.#isClosed = true;
    this.#client?.disconnect();
    this.#client?.stream?.destroy();
  }

  run(command: string, text: string, replyHandler: ReplyHandler): void {
    this.#client!.sendCommand(new EncodedRequest(command, text, replyHandler) as unknown as Command);
  }

  call(command: string, args: readonly Arg[]): Promise<unknown> {
    return this.#client!.call(command, [...args]).catch(rejectStripped);
  }

  async subscribe(channels: readonly string[], as: ChannelNaming = 'names'): Promise<unknown> {
    if (as === 'patterns') return this.isSharded ? undefined : this.#client!.psubscribe(...channels);
    return this.isSharded ? this.#client!.ssubscribe(...channels) : this.#client!.subscribe(...channels);
  }

  async unsubscribe(channels: readonly string[], as: ChannelNaming = 'names'): Promise<unknown> {
    if (as === 'patterns') return this.isSharded ? undefined : this.#client!.punsubscribe(...channels);
    return this.isSharded ? this.#client!.sunsubscribe(...channels) : this.#client!.unsubscribe(...channels);
  }

  #follow(client: Redis, owner: LinkOwner): void {
    // A connection was made and not lost since.
    let isConnected = false;
    client.on('connect', () => {
      isConnected = true;
      owner.connected();
    });
    client.on('ready', () => {
      if (isConnected) owner.greeted();
      // Version 5 also says so of a connection that was lost during its greeting, and would never connect again.
      else if (!this.#isClosed) client.status = 'reconnecting';
    });
    client.on('close', () => {
      isConnected = false;
      owner.lost();
    });
    client.on('error', (error: Error) => owner.failed(stripped(error)));
    const message = this.isSharded ? 'smessage' : 'message';
    client.on(message, (channel: string, text: string) => owner.received(channel, text));
    client.on('pmessage', (_pattern, channel: string, text: string) => owner.received(channel, text));
    // Version 5 says nothing.
    client.on('moved', () => owner.moved());
    // The client reconnects by itself; it ends only when it could not even begin to connect.
    client.on('end', () => {
      this.clock.setTimer(() => this.#connect(client), RESTART_MS);
    });
  }

  #connect(client: Redis): void {
    if (!this.#isClosed) client.connect().catch(() => undefined);
  }
}

function rejectStripped(error: Error): never {
  throw stripped(error);
}
