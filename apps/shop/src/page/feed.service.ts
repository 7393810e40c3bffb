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

/** How often figures are read at most, in ms, however many orders there are. */
const REFRESH_MS = 250;
/** How often something is said at least: the page takes a longer silence for a dead connection. */
const BEAT_MS = 5_000;
/** After how long the browser tries again, in ms. */
const RETRY_MS = 1_000;

/** What happens in the shop, for all pages that are open. Nothing is read while none is. */
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
      // Another process of the order service has news of its own, and the stock service may be back.
      this.#refresher.ask();
    }, BEAT_MS).unref();
  }

  /** Ends all feeds: open ones would keep the HTTP server from closing. */
  onModuleDestroy(): void {
    clearInterval(this.#beat);
    this.#messages.complete();
  }

  /** Everything as it is, then every change. It ends when the shop closes. */
  open(): Observable<MessageEvent> {
    return new Observable((client) => {
      // What happens while the snapshot is read comes after it.
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
          // Whatever this client has seen, what comes next is newer.
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
      // Nobody tells when it answers again.
      if (!stock.isHere) this.#refresher.ask();
    } catch (error) {
      this.#logger.warn(`no figures for the pages: ${String(error)}`);
    }
  }

  /** Only what is new. */
  #send(figures: FeedFigures): void {
    const one = message('figures', figures);
    if (one.data === this.#sent) return;
    this.#sent = one.data;
    this.#messages.next(one);
  }
}

/** As text, so that Nest can count what waits for a client that does not read. */
function message(type: string, data: object): MessageEvent & { readonly data: string } {
  return { type, data: JSON.stringify(data) };
}
