/** The queue of a process, its wakes, and the grants that a server pushes. */
import { LASTING, ROUGH } from '../worlds.mjs';

/** @type {readonly import('../mutants.mjs').Mutant[]} */
export const WAITING = [
  {
    name: 'deadline-ignored',
    breaks: 'a waiter does not leave when its time is over',
    file: 'engine/waiting/queued-synchronizer.ts',
    find: "for (const one of due) this.reject(one, 'timedOut');",
    replace: '',
    seed: 1,
  },
  {
    name: 'try-waits',
    breaks: 'a caller that tries once is kept until the lock is free',
    file: 'engine/locking/claim-strategy.ts',
    find: 'arrival <= attempt.lastArrival && (triesOnce ||',
    replace: 'arrival <= attempt.lastArrival && (',
    seed: 3,
  },
  {
    name: 'no-sweep',
    breaks: 'waiters rely on wakes alone',
    file: 'engine/waiting/wake-hub.ts',
    find: 'for (const { wakes } of this.#subscriptions.values()) for (const wake of wakes) wake();',
    replace: '',
    terms: { ...LASTING, loadMs: 10_000, waitMs: 3_900 },
    seed: 300,
  },
  {
    name: 'wake-unheard',
    breaks: 'a wake does not wake',
    file: 'engine/locking/resource-state.ts',
    find: 'this.sleep?.wake();',
    replace: '',
    seed: 1,
  },
  {
    name: 'pushed-grant-for-any',
    breaks: 'a grant without asking is taken for any claim in flight',
    file: 'engine/locking/resource-state.ts',
    find: 'return pushed !== undefined && pushed.claimId === this.currentAttempt?.id ? pushed.grant : undefined;',
    replace: 'return pushed?.grant;',
    terms: ROUGH,
    seed: 22,
  },
  {
    name: 'pushed-grant-from-its-arrival',
    breaks: 'a grant without asking counts from its arrival',
    file: 'backends/redis/presence/awaited-grants.ts',
    find: 'since: this.clockOffset.earliestLocalTime(announcement.at)',
    replace: 'since: this.clockOffset.localNow()',
    terms: ROUGH,
    seed: 3,
  },
  {
    name: 'pushed-grant-for-any-time',
    breaks: 'a grant without asking is believed for the whole lease, of which the server gave a second',
    file: 'backends/redis/presence/awaited-grants.ts',
    find: 'return { token, tokens, leaseMs, since:',
    replace: 'return { token, tokens, leaseMs: awaited.claim.leaseMs, since:',
    terms: LASTING,
    seed: 1,
  },
  {
    name: 'pushed-grant-unread',
    breaks: 'grants without asking are thrown away',
    file: 'backends/redis/presence/wake-subscriptions.ts',
    find: "else if (message.startsWith('=')) this.#onGrant(body);",
    replace: "else if (message.startsWith('=')) return;",
    seed: 1,
  },
];
