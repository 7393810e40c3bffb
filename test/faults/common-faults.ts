import { expect } from '@jest/globals';
import { type ContenderProcess, liveness, type SeenEvent, sharedNow } from 'bedrock-testkit';
import { goOn, UNTIL_FINISHED, type Job } from './contest.js';
import { Site } from './site.js';

/** A holder that is killed: its lease ends on time, and the waiter has the lock a second later at the most. */
export async function isOverInTime(
  site: Site,
  dead: ContenderProcess,
  waiting: ContenderProcess,
): Promise<void> {
  await waiting.until('asked');
  const { at } = await liveness.within('a lock whose holder was killed', 2_000, () => {
    dead.signal('SIGKILL');
    return waiting.until('acquired');
  });
  const ends = dead.events.flatMap((event) => ('validUntil' in event ? [event.validUntil] : []));
  expect(at).toBeGreaterThanOrEqual(Math.max(...ends));
  await waiting.ended();
  expect(site.judge()).toMatchObject({ failures: {} });
  expect(await site.leftovers()).toEqual([]);
}

/** A holder that sleeps beyond its lease: the next one goes on, and it finds that it holds nothing. */
export async function overtakes(
  site: Site,
  stopped: ContenderProcess,
  rival: () => ContenderProcess,
): Promise<void> {
  stopped.signal('SIGSTOP');
  const next = rival();
  const { lease, at: takenAt } = await next.until('acquired');
  stopped.signal('SIGCONT');
  const lost = await stopped.until('lost');
  await stopped.until('seen', (event) => event.at > lost.at);
  const seen = observationsAfter(takenAt, stopped);
  expect(seen.filter(({ isHeld }) => isHeld)).toEqual([]);
  expect(await next.until('released')).toMatchObject({ lease, outcome: 'released' });
  expect(site.judge()).toMatchObject({ lost: 1 });
}

/**
 * What a process saw of its lease after this time (`sharedNow()`). Its order of arrival is no guide: what the process
 * wrote before it was stopped may be read after it goes on.
 */
export function observationsAfter(at: number, contender: ContenderProcess): readonly SeenEvent[] {
  return contender.events.filter((event): event is SeenEvent => event.kind === 'seen' && event.at > at);
}

/** Lease of those that are stopped in turn. */
export const STOPPED_LEASE_MS = 500;

/** Stops them in turn, until well after the end of their leases. */
export async function stopInTurn(victims: readonly ContenderProcess[], all = victims): Promise<void> {
  for (const victim of victims) {
    victim.signal('SIGSTOP');
    const stoppedAt = sharedNow();
    for (const other of all)
      if (other !== victim)
        await other.until('acquired', ({ at }) => at > stoppedAt + 1.4 * STOPPED_LEASE_MS);
    victim.signal('SIGCONT');
  }
}

/** Two go on over the restart of a guarded server that has lost everything. */
export async function outlivesEmptyRestart(job: Job): Promise<void> {
  const guarded = await Site.open({ restartGuard: true, coldStart: 'trust', maxLeaseMs: 1_000 });
  try {
    const patient = { ...job, ...UNTIL_FINISHED, lock: { leaseMs: 500, waitMs: 3_000 } };
    const contenders = [guarded.contender(patient), guarded.contender(patient)];
    await goOn(contenders);
    await guarded.server.restart();
    await goOn(contenders, 60);
    await guarded.finish();
    guarded.judge();
    expect(guarded.history.filter(({ kind }) => kind === 'acquired').length).toBeGreaterThan(100);
  } finally {
    await guarded.close();
  }
}
