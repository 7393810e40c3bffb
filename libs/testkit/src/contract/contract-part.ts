import type { MutexVariant } from '../contender/contender-job.js';

/** One promise of the contract. */
export interface PromiseName {
  /** Kind of the mutex; undefined for a promise about another object. */
  readonly kind: MutexVariant | undefined;
  readonly group: string;
  readonly promise: string;
}

/** Selects promises of the contract. */
export type ContractPart = (name: PromiseName) => boolean;

export const WHOLE_CONTRACT: ContractPart = () => true;

/** `mutex › renewal › keeps many locks at a time` */
export function nameOf({ kind, group, promise }: PromiseName): string {
  return [...(kind === undefined ? [] : [kind]), group, promise].join(' › ');
}

/**
 * The part that runs on every backend for every change: each mechanism once, and the first contender run of each kind
 * of lock. The rest repeats the mechanisms in more situations, and has the promises that take seconds.
 */
export const SHORT_CONTRACT: ContractPart = ({ kind, group, promise }) => {
  if (kind === 'fairMutex') return SHORT_FAIR.has(promise);
  return SHORT_GROUPS.has(group) || SHORT_PROMISES.has(promise);
};

const SHORT_GROUPS: ReadonlySet<string> = new Set([
  'verbs that may be repeated',
  'verbs of semaphores',
  'verbs of read-write locks',
]);

const SHORT_FAIR: ReadonlySet<string> = new Set([
  'is kept across processes, caller by caller',
  'refuses a caller that only tries while others wait',
]);

const SHORT_PROMISES: ReadonlySet<string> = new Set([
  // mutual exclusion
  'lets one holder in at a time, across processes and their callers, and loses no update',
  'keeps others out while one holds, and lets them in afterwards',
  // order and waking
  'serves the callers of one process in the order of their arrival',
  'serves the process that has waited longest',
  // fencing tokens
  'grow from holder to holder, whichever process they belong to',
  'grow while a claim passes from caller to caller without a round trip',
  'are never granted twice when a claim is repeated',
  // a holder that dies
  'keeps the lock until its lease ends, and no longer than a second more',
  // a machine that sleeps
  'believes in nothing that ended while it slept',
  // the end of a lease
  'lets the next holder in, and never before',
  // re-entry
  'enters a lock again that the call chain holds, and shows how deep',
  // waiters that leave
  'take their process out of the line when they were its last',
  'give back what was granted to them too late',
  // nothing left behind
  'after a release: no key, no waiter, no hold',
  'after contention, a refusal and a wait in vain',
  'after a close while claims were under way',
  // several locks at once
  'are held all or none',
  // closing
  'waits for the holder, who releases in good order',
  'rejects waiting callers, and later ones',
  // operators
  'see who holds a lock',
  'free a lock by force: at once, and its holder hears of it',
  // administration
  'lists what is held, with its holder, and nothing that is free',
  'lists every lock with the prefix, whatever its characters, in pages',
  // leadership
  'passes to the next when the Bedrock of the leader closes',
  // read-write locks
  'let readers share the lock across processes, and a writer hold it alone',
  'never let a writer share the lock, in any order of arrival, and lose no update',
  // semaphores
  'give out as many permits as there are, over processes, and the next when one comes back',
  'never have more permits in use than there are, over processes and callers of any weight',
  // countdown latches, counting and expirable semaphores
  'let every caller pass, in every process, when the count is zero',
  'count once for an operation that is repeated',
  'never give more permits than there are, over processes',
  'take and give once for an operation that is repeated',
  // idempotency
  'run a request once, and answer its repetitions in every process with the first result',
  'run a request once, however many of it come at once',
  // round trips
  'of a mutex are as many as the table says',
]);

/** The rest of the contract, without {@link SHORT_CONTRACT}. */
export const LONG_CONTRACT: ContractPart = (name) => !SHORT_CONTRACT(name);
