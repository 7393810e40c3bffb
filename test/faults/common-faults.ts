import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { startProxy, type TcpProxy } from 'bedrock-servers';
import { sharedNow, type ContenderJob, type ContenderProcess } from 'bedrock-testkit';
import { NETWORK_FAULTS } from './network-faults.js';
import { OPERATION_MS, pass, Site } from './site.js';

type Job = Omit<ContenderJob, 'resource'>;

/** A holder that is killed: its lease ends when it was to end, and the one who waits is there a second later at the most. */
export async function isOverInTime(
  site: Site,
  dead: ContenderProcess,
  waiting: ContenderProcess,
): Promise<void> {
  await waiting.until('asked');
  dead.signal('SIGKILL');
  const killedAt = sharedNow();
  const { at } = await waiting.until('acquired');
  const ends = dead.events.flatMap((event) => ('validUntil' in event ? [event.validUntil] : []));
  expect(at).toBeGreaterThanOrEqual(Math.max(...ends));
  expect(at - killedAt).toBeLessThanOrEqual(2_000);
  await waiting.ended();
  expect(site.judge()).toMatchObject({ violations: [], failures: {} });
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
  const { lease } = await next.until('acquired');
  const toldBefore = stopped.events.length;
  stopped.signal('SIGCONT');
  const lost = await stopped.until('lost');
  await stopped.until('seen', (event) => event.at > lost.at);
  const seen = stopped.events.slice(toldBefore).filter((event) => event.kind === 'seen');
  expect(seen.filter(({ isHeld }) => isHeld)).toEqual([]);
  expect(await next.until('released')).toMatchObject({ lease, outcome: 'released' });
  expect(site.judge()).toMatchObject({ violations: [], lost: 1 });
}

/** Stops them in turn, until well after the end of their leases. */
export async function stopInTurn(victims: readonly ContenderProcess[], all = victims): Promise<void> {
  for (const victim of victims) {
    victim.signal('SIGSTOP');
    const stoppedAt = sharedNow();
    for (const other of all)
      if (other !== victim) await other.until('acquired', ({ at }) => at > stoppedAt + 1_000);
    victim.signal('SIGCONT');
  }
}

/** Two go on over the restart of a guarded server that has lost everything. */
export async function outlivesEmptyRestart(job: Job): Promise<void> {
  const guarded = await Site.open({ restartGuard: true, coldStart: 'trust', maxLeaseMs: 1_000 });
  try {
    const patient = { ...job, forMs: 4_000, lock: { leaseMs: 500, waitMs: 3_000 } };
    const contenders = [guarded.contender(patient), guarded.contender(patient)];
    for (const one of contenders) await one.until('acquired');
    await guarded.server.restart();
    await guarded.ended();
    expect(guarded.judge().violations).toEqual([]);
    expect(guarded.history.filter(({ kind }) => kind === 'acquired').length).toBeGreaterThan(100);
  } finally {
    await guarded.close();
  }
}

/** A test per fault of the network; no promise is broken, and nothing leaks. */
export function networkFaults(subject: string, promise: string, job: Job): void {
  describe(`a network between ${subject} and its users`, () => {
    let site: Site;
    let proxy: TcpProxy;
    beforeEach(async () => {
      site = await Site.open();
      proxy = await startProxy(site.server.port);
    });
    afterEach(async () => {
      await site.close();
      await proxy.stop();
    });

    it.each(Object.entries(NETWORK_FAULTS))(`that %s ${promise}`, async (_name, fault) => {
      const impatient = { ...job, forMs: 3_500, lock: { leaseMs: 700, waitMs: 900 } };
      const proxied = { url: `redis://127.0.0.1:${proxy.port}` };
      const contenders = [
        site.contender({ ...impatient, label: 'behind the proxy' }, proxied),
        site.contender({ ...impatient, label: 'also behind it' }, proxied),
        site.contender({ ...impatient, label: 'well connected' }),
      ];
      for (const one of contenders) await one.until('acquired');
      for (let i = 0; i < 3; i += 1) {
        await fault(proxy);
        await pass(300);
      }
      await site.ended();
      const report = site.judge();
      expect(report.violations).toEqual([]);
      expect(Object.keys(report.turns)).toHaveLength(3);
      expect(report.leases).toBeGreaterThan(30);
      await pass(2 * OPERATION_MS);
      expect(await site.leftovers()).toEqual([]);
    });
  });
}
