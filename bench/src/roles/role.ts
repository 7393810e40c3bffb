import type { Line } from '../contender/line.js';
import type { LockTerms, OpenLock } from '../libraries/open-lock.js';

/** What a contender does in a scenario, from the warm-up to its account. */
export type Role<Order, Account> = (
  lock: OpenLock,
  order: Order,
  line: Line,
  /** Opens the library once more, on other terms. */
  reopen: (terms: Partial<LockTerms>) => Promise<OpenLock>,
) => Promise<Account>;
