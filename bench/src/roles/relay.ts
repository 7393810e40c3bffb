import { sharedNowMs } from '../figures/section-log.js';
import { cycleOf } from './cycle.js';
import type { Role } from './role.js';

export interface RelayOrder {
  readonly key: string;
  readonly warmUpCycles: number;
}

/** Commands to a runner: acquire the lock, or release it after a number of ms. */
export type RelayWord =
  { readonly do: 'take' } | { readonly do: 'pass'; readonly afterMs: number } | { readonly do: 'stop' };

/** Its reports: when it requested the lock, when it was granted, when it began the release. In shared ms. */
export type RelayReply =
  { readonly is: 'asking' } | { readonly is: 'granted' | 'passed'; readonly at: number };

/** One of two processes that pass a lock back and forth. Both ends of a hand-over read the same clock. */
export const relay: Role<RelayOrder, null> = async (lock, { key, warmUpCycles }, channel) => {
  const own = cycleOf(lock, `${key}-${process.pid}`);
  for (let i = 0; i < warmUpCycles; i++) await own();
  const say = (reply: RelayReply): void => channel.send(reply);
  await channel.ready();
  let grant: unknown;
  for (;;) {
    const word = (await channel.receive()) as RelayWord;
    if (word.do === 'stop') return null;
    if (word.do === 'take') {
      say({ is: 'asking' });
      grant = await lock.acquire(key);
      say({ is: 'granted', at: sharedNowMs() });
    } else {
      await new Promise((resolve) => setTimeout(resolve, word.afterMs));
      const at = sharedNowMs();
      await lock.release(grant);
      say({ is: 'passed', at });
    }
  }
};
