import { setTimeout as sleep } from 'node:timers/promises';
import type { OpenShop } from './open-shop.js';

/** One thing that goes wrong, and when: at this share of all answers. */
interface Fault {
  readonly at: number;
  readonly text: string;
  readonly happen: (shop: OpenShop) => Promise<void>;
}

const SILENT_MS = 700;
const AWAY_MS = 500;

const FAULTS: readonly Fault[] = [
  {
    at: 0.1,
    text: `replies of the stock service are dropped for ${SILENT_MS} ms, its connections cut`,
    happen: async ({ proxy }) => {
      proxy.dropReplies();
      await sleep(SILENT_MS);
      proxy.dropReplies(false);
      // A connection that lost bytes stays silent for ever.
      proxy.cut();
    },
  },
  {
    at: 0.4,
    text: `the stock service is killed, and started again ${AWAY_MS} ms later`,
    happen: async ({ stock }) => {
      await stock.kill();
      await sleep(AWAY_MS);
      await stock.start();
    },
  },
  { at: 0.7, text: 'all connections to the stock service are cut', happen: async ({ proxy }) => proxy.cut() },
];

/** What goes wrong in a run: one after the other, as the orders are answered. */
export class Faults {
  readonly #waiting = [...FAULTS];
  readonly #shop: OpenShop;
  readonly #tell: (text: string) => void;
  #running: Promise<void> = Promise.resolve();
  #count = 0;

  /** @param tell is called when one begins */
  constructor(shop: OpenShop, tell: (text: string) => void) {
    this.#shop = shop;
    this.#tell = tell;
    // It is awaited by over(); until then a failure must not end the process.
    this.#running.catch(() => undefined);
  }

  /** How many there have been. */
  get count(): number {
    return this.#count;
  }

  /** @param share of all requests that have been answered */
  reached(share: number): void {
    while (this.#waiting.length > 0 && share >= this.#waiting[0]!.at) {
      const { text, happen } = this.#waiting.shift()!;
      this.#running = this.#running.then(() => {
        this.#count++;
        this.#tell(text);
        return happen(this.#shop);
      });
      this.#running.catch(() => undefined);
    }
  }

  /** Resolves when all that began are over. @throws what one of them could not put right again */
  over(): Promise<void> {
    return this.#running;
  }
}
