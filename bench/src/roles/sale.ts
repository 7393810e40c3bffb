import { Redis } from 'ioredis';
import { countOverlaps, SectionLog, sharedNowMs, unpackSections } from '../figures/section-log.js';
import type { OpenLock } from '../libraries/open-lock.js';
import { turnOf } from './cycle.js';
import type { Role } from './role.js';

export interface SaleOrder {
  readonly url: string;
  readonly key: string;
  readonly buyers: number;
  readonly stock: number;
  /** Time limit, in ms. A library that has not sold out by then is measured by its sales. */
  readonly limitMs: number;
}

export interface SaleAccount {
  readonly elapsedMs: number;
  readonly sold: number;
  /** Sales without an item from the stock. */
  readonly oversold: number;
  readonly overlaps: number;
  readonly failures: number;
}

/** Sales in which every buyer gets an item, one after the other until the time is over: no buyer keeps polling. */
const WARM_UP = { buyers: 200, stock: 200, limitMs: 3_000 };
const WARM_UP_MS = 1_500;

/** All buyers arrive at once; each acquires the lock, reads the stock, and writes it back less one if any is left. */
export const sale: Role<SaleOrder, SaleAccount> = async (lock, order, channel) => {
  const store = new Redis(order.url, { lazyConnect: true });
  await store.connect();
  // Before the warm-up, since it discards compiled code.
  globalThis.gc?.();
  for (const until = sharedNowMs() + WARM_UP_MS; sharedNowMs() < until;) {
    const { everybody } = await sell(lock, store, { ...order, ...WARM_UP, key: `${order.key}-warm` });
    await everybody;
  }
  await channel.ready();
  const { account } = await sell(lock, store, order);
  store.disconnect();
  return account;
};

interface Sale {
  readonly account: SaleAccount;
  /** Resolves when the last buyer of the queue has left it. */
  readonly everybody: Promise<unknown>;
}

/** Ends with the last sale; buyers still in the queue are not served any more. */
async function sell(lock: OpenLock, store: Redis, order: SaleOrder): Promise<Sale> {
  const shelf = `${order.key}-stock`;
  await store.set(shelf, order.stock, 'EX', 600);
  const log = new SectionLog();
  const from = sharedNowMs();
  let sold = 0;
  let inside = 0;
  let failures = 0;
  let elapsedMs = 0;
  let close: () => void;
  const closed = new Promise<void>((resolve) => {
    close = () => {
      elapsedMs ||= sharedNowMs() - from;
      resolve();
    };
  });
  const buy = turnOf(lock, order.key, async () => {
    if (elapsedMs > 0) return;
    inside += 1;
    const entered = sharedNowMs();
    const left = Number(await store.get(shelf));
    if (left > 0) {
      await store.set(shelf, left - 1, 'EX', 600);
      sold += 1;
    }
    log.add(from, entered, sharedNowMs(), 0);
    inside -= 1;
    if (sold >= order.stock) close();
  });
  const timer = setTimeout(() => close(), order.limitMs);
  const buyers = Array.from({ length: order.buyers }, () => buy().catch(() => (failures += 1)));
  const everybody = Promise.all(buyers);
  await Promise.race([closed, everybody]);
  close!();
  clearTimeout(timer);
  // A buyer inside when the time is over still sells: wait for that before counting the stock.
  while (inside > 0) await new Promise((resolve) => setTimeout(resolve, 1));
  const left = Number(await store.get(shelf));
  const overlaps = countOverlaps(unpackSections(log.pack()));
  return {
    account: { elapsedMs, sold, oversold: sold - (order.stock - left), overlaps, failures },
    everybody,
  };
}
