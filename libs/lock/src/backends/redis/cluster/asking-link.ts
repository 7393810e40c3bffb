import type { Arg, Asker, LinkOwner, RedisLink } from '../connection/link.js';

const ASKING = '*1\r\n$6\r\nasking\r\n';
const DEAF: Asker = { replied: () => undefined, failed: () => undefined };

/**
 * A link whose requests are about slots that are on their way to the server: what was moved already is found nowhere else,
 * and the server answers only who says ASKING right before.
 */
export class AskingLink implements RedisLink {
  readonly isSharded = true;

  constructor(private readonly link: RedisLink) {}

  get database(): number {
    return this.link.database;
  }

  get isWritable(): boolean {
    return this.link.isWritable;
  }

  connect(owner: LinkOwner): void {
    this.link.connect(owner);
  }

  reconnect(): void {
    this.link.reconnect();
  }

  close(): void {
    this.link.close();
  }

  run(command: string, text: string, asker: Asker): void {
    this.link.run('asking', ASKING, DEAF);
    this.link.run(command, text, asker);
  }

  call(command: string, args: readonly Arg[]): Promise<unknown> {
    this.link.run('asking', ASKING, DEAF);
    return this.link.call(command, args);
  }

  subscribe(channels: readonly string[]): Promise<unknown> {
    return this.link.subscribe(channels);
  }

  unsubscribe(channels: readonly string[]): Promise<unknown> {
    return this.link.unsubscribe(channels);
  }
}
