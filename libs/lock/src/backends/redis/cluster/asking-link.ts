import type { Arg, ReplyHandler, LinkOwner, RedisLink } from '../connection/link.js';

const ASKING = '*1\r\n$6\r\nasking\r\n';
const IGNORE_REPLY: ReplyHandler = { replied: () => undefined, failed: () => undefined };

/**
 * A link for slots that are moving to the server. Keys that have moved are on no other server. The
 * server answers for them only right after ASKING.
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

  run(command: string, text: string, replyHandler: ReplyHandler): void {
    this.link.run('asking', ASKING, IGNORE_REPLY);
    this.link.run(command, text, replyHandler);
  }

  call(command: string, args: readonly Arg[]): Promise<unknown> {
    this.link.run('asking', ASKING, IGNORE_REPLY);
    return this.link.call(command, args);
  }

  subscribe(channels: readonly string[]): Promise<unknown> {
    return this.link.subscribe(channels);
  }

  unsubscribe(channels: readonly string[]): Promise<unknown> {
    return this.link.unsubscribe(channels);
  }
}
