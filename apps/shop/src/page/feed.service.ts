import {
  Inject,
  Injectable,
  Logger,
  type MessageEvent,
  type OnModuleDestroy,
  type OnModuleInit,
} from '@nestjs/common';
import { Observable, Subject } from 'rxjs';
import { SHOWN, type FeedFigures, type FeedSnapshot } from './feed-message.js';
import { PAGE_SOURCE, type PageSource } from './page-source.js';
import { Refresher } from './refresher.js';
import { readStock } from './stock.view.js';

/** Shortest interval between two reads of the figures, in ms, however many orders there are. */
const REFRESH_MS = 250;
/** Longest silence of the server, in ms: the page takes a longer one for a dead connection. */
const BEAT_MS = 5_000;
/** Delay before the browser reconnects, in ms. */
const RETRY_MS = 1_000;

/** Events of the shop for all open pages. Reads nothing while none is open. */
@Injectable()
export class FeedService implements OnModuleInit, OnModuleDestroy {
  readonly #logger = new Logger(FeedService.name);
  readonly #messages = new Subject<MessageEvent>();
  readonly #refresher = new Refresher(REFRESH_MS, () => this.#refresh());
  #sent = '';
  #beat: NodeJS.Timeout | undefined;

  constructor(@Inject(PAGE_SOURCE) private readonly source: PageSource) {}

  onModuleInit(): void {
    this.source.news.subscribe({
      next: (change) => {
        if (!this.#messages.observed) return;
        this.#messages.next(message('order', change));
        this.#refresher.ask();
      },
      complete: () => this.#messages.complete(),
    });
    this.#beat = setInterval(() => {
      if (!this.#messages.observed) return;
      this.#messages.next(message('beat', { at: new Date().toISOString() }));
      // Another process of the order service has changes of its own, and the stock service may be back.
      this.#refresher.ask();
    }, BEAT_MS).unref();
  }

  /** Ends all feeds: open ones would keep the HTTP server from closing. */
  onModuleDestroy(): void {
    clearInterval(this.#beat);
    this.#messages.complete();
  }

  /** A snapshot of everything, then every change. It ends when the shop closes. */
  open(): Observable<MessageEvent> {
    return new Observable((client) => {
      // Changes during the read of the snapshot follow it.
      let early: MessageEvent[] | undefined = [];
      client.add(
        this.#messages.subscribe({
          next: (one) => (early === undefined ? client.next(one) : early.push(one)),
          complete: () => client.complete(),
        }),
      );
      this.#snapshot().then(
        (snapshot) => {
          client.next({ ...message('snapshot', snapshot), retry: RETRY_MS });
          early?.forEach((one) => client.next(one));
          early = undefined;
          // The next message is newer than anything this client has seen.
          this.#sent = '';
          this.#refresher.ask();
        },
        (error: unknown) => {
          this.#logger.warn(`no snapshot for a page: ${String(error)}`);
          client.complete();
        },
      );
    });
  }

  async #snapshot(): Promise<FeedSnapshot> {
    const [{ orders, ...counts }, stock] = await Promise.all([
      this.source.orders(SHOWN),
      readStock(this.source.stockUrl),
    ]);
    return { orders, counts, stock };
  }

  async #refresh(): Promise<void> {
    if (!this.#messages.observed) return;
    try {
      const { counts, stock } = await this.#snapshot();
      this.#send({ counts, stock });
      // No event reports when the service answers again.
      if (!stock.isHere) this.#refresher.ask();
    } catch (error) {
      this.#logger.warn(`no figures for the pages: ${String(error)}`);
    }
  }

  /** Sends only changes. */
  #send(figures: FeedFigures): void {
    const one = message('figures', figures);
    if (one.data === this.#sent) return;
    this.#sent = one.data;
    this.#messages.next(one);
  }
}

/** As text, so that Nest can measure the backlog of a client that does not read. */
function message(type: string, data: object): MessageEvent & { readonly data: string } {
  return { type, data: JSON.stringify(data) };
}
