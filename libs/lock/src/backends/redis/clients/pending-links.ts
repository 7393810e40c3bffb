import type { Clock, Timer } from '../../../core/clock.js';
import type {
  Arg,
  ReplyHandler,
  ChannelNaming,
  LinkFactory,
  LinkOwner,
  RedisLinkTarget,
  RedisLink,
} from '../connection/link.js';

/** Pause before a failed factory is made again, in ms. */
const FACTORY_RETRY_MS = 1_000;

/** Links of a factory that needs a server to be made. */
export class PendingLinks implements LinkFactory {
  #made: Promise<LinkFactory> | undefined;

  constructor(
    private readonly make: () => Promise<LinkFactory>,
    private readonly clock: Clock,
  ) {}

  create(target?: RedisLinkTarget): RedisLink {
    return new PendingLink(async () => (await this.#factory()).create(target), this.clock, target);
  }

  async #factory(): Promise<LinkFactory> {
    this.#made ??= this.make();
    try {
      return await this.#made;
    } catch (error) {
      this.#made = undefined;
      throw error;
    }
  }
}

class PendingLink implements RedisLink {
  readonly database: number;
  readonly isSharded: boolean;
  #link: RedisLink | undefined;
  #timer: Timer | undefined;
  #isClosed = false;

  constructor(
    private readonly make: () => Promise<RedisLink>,
    private readonly clock: Clock,
    { database = 0, isSharded = false }: Partial<RedisLinkTarget> = {},
  ) {
    this.database = database;
    this.isSharded = isSharded;
  }

  get isWritable(): boolean {
    return this.#link?.isWritable === true;
  }

  connect(owner: LinkOwner): void {
    this.make().then(
      (link) => {
        if (this.#isClosed) return;
        this.#link = link;
        link.connect(owner);
      },
      (error: Error) => {
        if (this.#isClosed) return;
        owner.failed(error);
        this.#timer = this.clock.setTimer(() => this.connect(owner), FACTORY_RETRY_MS);
      },
    );
  }

  reconnect(): void {
    this.#link?.reconnect();
  }

  close(): void {
    this.#isClosed = true;
    if (this.#timer !== undefined) this.clock.clearTimer(this.#timer);
    this.#link?.close();
  }

  run(command: string, text: string, replyHandler: ReplyHandler): void {
    this.#link!.run(command, text, replyHandler);
  }

  call(command: string, args: readonly Arg[]): Promise<unknown> {
    return this.#link!.call(command, args);
  }

  subscribe(channels: readonly string[], as?: ChannelNaming): Promise<unknown> {
    return this.#link!.subscribe(channels, as);
  }

  unsubscribe(channels: readonly string[], as?: ChannelNaming): Promise<unknown> {
    return this.#link!.unsubscribe(channels, as);
  }
}
