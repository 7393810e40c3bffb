import type { Command, Redis } from 'ioredis';
import type { Clock } from '../../../core/clock.js';
import { EncodedRequest, stripped } from './ioredis-request.js';
import type { Arg, ReplyHandler, ChannelNaming, LinkOwner, RedisLink } from '../connection/link.js';

/** Pause before a client that could not start to connect is started again, in ms. */
const RESTART_MS = 1_000;

/**
 * A link through ioredis 5.3 or newer, or 6. With the right options, the client's own reconnection
 * keeps Bedrock's rules.
 */
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
    // Otherwise a half-open connection would linger, and the calls on it too.
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
    // The connection is open and not lost since.
    let isConnected = false;
    client.on('connect', () => {
      isConnected = true;
      owner.connected();
    });
    client.on('ready', () => {
      if (isConnected) owner.greeted();
      // Version 5 also emits `ready` for a connection lost during its handshake, and would never
      // reconnect.
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
    // Version 5 does not emit this.
    client.on('moved', () => owner.moved());
    // The client reconnects by itself; it ends only if it could not start to connect.
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
