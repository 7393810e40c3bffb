import { Bedrock, isLockError, UnsupportedByBackendError, type Backend, type Lease } from 'bedrock-lock';
import { randomUUID } from 'node:crypto';
import { note, ok, problem, type Finding } from './findings/finding.js';

/** At most, where the backend allows it, in ms. */
const LEASE_MS = 5_000;
const WAIT_MS = 5_000;
/** What Redis says of a right that is missing, to a client and to a script. */
const RIGHTS = /NOPERM|ACL failure|can't (access|run)|No permissions/i;

interface TrialLock {
  acquire(): Promise<Lease>;
}

/**
 * Takes and releases a lock of each kind, under names of its own. Whatever keeps an application from its locks, such as a
 * missing right or table, or a quarantine, keeps this from it too.
 * @param prefix what the names begin with
 */
export async function examineLocks(backend: Backend, prefix: string): Promise<readonly Finding[]> {
  const options = { leaseMs: Math.min(LEASE_MS, backend.traits.maxLeaseMs), waitMs: WAIT_MS, failFast: true };
  const bedrock = new Bedrock({ backend, prefix: `${prefix}bedrock-doctor:${randomUUID()}:` });
  const kinds: readonly (readonly [string, () => TrialLock])[] = [
    ['mutex', () => bedrock.mutex('mutex', options)],
    ['fair mutex', () => bedrock.fairMutex('fair', options)],
    ['reader', () => bedrock.readWriteLock('reader', options).read],
    ['writer', () => bedrock.readWriteLock('writer', options).write],
    ['semaphore', () => bedrock.semaphore('permits', { ...options, permits: 2 })],
  ];
  try {
    await backend.ready();
  } catch (error) {
    await bedrock.close();
    return [problem('locks', `no lock can be taken: ${messageOf(error)}`)];
  }
  try {
    const outcomes: (readonly [string, TrialOutcome])[] = [];
    for (const [kind, make] of kinds) outcomes.push([kind, await outcomeOf(make)]);
    return findingsOf(outcomes);
  } finally {
    await bedrock.close();
  }
}

/** Taken; not a kind of this backend; or why it cannot be taken. */
type TrialOutcome = 'taken' | 'unsupported' | { readonly reason: string };

async function outcomeOf(make: () => TrialLock): Promise<TrialOutcome> {
  try {
    const lease = await make().acquire();
    await lease.release();
    return 'taken';
  } catch (error) {
    return error instanceof UnsupportedByBackendError ? 'unsupported' : { reason: messageOf(error) };
  }
}

/** What several kinds have in common is said once. */
function findingsOf(outcomes: readonly (readonly [kind: string, TrialOutcome])[]): readonly Finding[] {
  const kindsOf = (is: (outcome: TrialOutcome) => boolean): string =>
    outcomes.flatMap(([kind, outcome]) => (is(outcome) ? [kind] : [])).join(', ');
  const reasons = outcomes.flatMap(([, outcome]) => (typeof outcome === 'object' ? [outcome.reason] : []));
  const [taken, unsupported] = ['taken', 'unsupported'].map((what) => kindsOf((outcome) => outcome === what));
  return [
    ...(taken === '' ? [] : [ok('locks', `taken and released: ${taken}`)]),
    ...(unsupported === '' ? [] : [note('locks', `this backend has no ${unsupported}`)]),
    ...[...new Set(reasons)].map((reason) => {
      const kinds = kindsOf((outcome) => typeof outcome === 'object' && outcome.reason === reason);
      const text = `cannot be taken: ${kinds}: ${reason}`;
      // An application that uses only mutexes needs fewer rights.
      const isForOthers = outcomes[0]?.[1] === 'taken' && RIGHTS.test(reason);
      return isForOthers ? note('locks', text) : problem('locks', text);
    }),
  ];
}

/** @throws any error but those of the library */
function messageOf(error: unknown): string {
  if (isLockError(error)) return error.message;
  throw error;
}
