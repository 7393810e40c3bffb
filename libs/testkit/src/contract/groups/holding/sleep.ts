import assert from 'node:assert/strict';
import type { NapJob } from '../../../contender/contender-job.js';
import type { ContractGroup } from '../../context/contract-group.js';
import type { ContractContext } from '../../context/contract-context.js';

/** A machine sleeps while other processes use the lock, and wakes up among them. */
async function naps(context: ContractContext, forMs: number, naps: NapJob): Promise<void> {
  const job = { tasks: 2, bodyMs: [1, 10], sampleMs: 2, lock: { leaseMs: context.leaseMs } } as const;
  const awake = { ...job, forMs };
  const { history, turns, failures } = await context.runContenders([
    { ...job, label: 'sleeper', forMs: forMs / 2, naps },
    awake,
    awake,
  ]);
  const slept = history.filter(
    (event) => event.kind === 'stalled' && event.process === 'sleeper' && event.lateMs >= 1_100,
  );
  assert.ok(slept.length >= naps.times, `it slept ${slept.length} times`);
  assert.ok(turns['sleeper']! > 0);
  assert.deepEqual(failures, {});
}

export const machineSleep: ContractGroup = {
  'believes in nothing that ended while it slept': (context) =>
    // Longer than the life of an unclaimed grant.
    naps(context, 1_600, { times: 1, ms: [1_100, 1_300], everyMs: 250 }),

  'sleeps for anything from 100 ms to ten leases': (context) =>
    naps(context, 4_000, { times: 3, ms: [100, 10 * context.leaseMs], everyMs: 200 }),
};
