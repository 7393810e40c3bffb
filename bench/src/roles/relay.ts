import { sharedNowMs } from '../figures/section-log.js';
import { cycleOf } from './cycle.js';
import type { Role } from './role.js';

export interface RelayOrder {
  readonly key: string;
  readonly warmUpCycles: number;
}

/** What a runner is told: take the lock; or give it back after so many ms. */
export type RelayWord =
  { readonly do: 'take' } | { readonly do: 'pass'; readonly afterMs: number } | { readonly do: 'stop' };

/** What it says: that it asks; when it was granted; when it began to release. In shared ms. */
export type RelayReply =
  { readonly is: 'asking' } | { readonly is: 'granted' | 'passed'; readonly at: number };

/** One of two processes that pass a lock to and fro. Both ends of a hand-over read the clock that they share. */
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
