import { setTimeout as sleep } from 'node:timers/promises';
import type { OpenShop } from './open-shop.js';

/** A fault, and the share of all responses at which it begins. */
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

/** The faults of a run: one after the other, as the orders are answered. */
export class Faults {
  readonly #waiting = [...FAULTS];
  readonly #shop: OpenShop;
  readonly #tell: (text: string) => void;
  #running: Promise<void> = Promise.resolve();
  #count = 0;

  /** @param tell called when a fault begins */
  constructor(shop: OpenShop, tell: (text: string) => void) {
    this.#shop = shop;
    this.#tell = tell;
    // over() awaits it; until then, a failure must not end the process.
    this.#running.catch(() => undefined);
  }

  /** Number of faults so far. */
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

  /** Resolves when all begun faults are over. @throws the error of a fault that could not be repaired */
  over(): Promise<void> {
    return this.#running;
  }
}
