import type { Channel } from '../contender/channel.js';
import type { OpenLockOptions, OpenLock } from '../libraries/open-lock.js';

/** The work of a contender in a scenario, from the warm-up to its account. */
export type Role<Order, Account> = (
  lock: OpenLock,
  order: Order,
  channel: Channel,
  /** Opens the library again, with other options. */
  reopen: (options: Partial<OpenLockOptions>) => Promise<OpenLock>,
) => Promise<Account>;
