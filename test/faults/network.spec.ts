import { startProxy, type TcpProxy } from 'bedrock-servers';
import { MUTEX } from 'bedrock-lock';
import { redis } from 'bedrock-lock/redis';
import { sharedNow } from 'bedrock-testkit';
import { NETWORK_FAULTS } from './network-faults.js';
import { OPERATION_MS, pass, Site } from './site.js';

const LOCK = { leaseMs: 700, waitMs: 900 } as const;
const JOB = { tasks: 2, bodyMs: [1, 15], sampleMs: 5, lock: LOCK } as const;

describe('a network between the process and its Redis', () => {
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

  const proxied = () => ({ url: `redis://127.0.0.1:${proxy.port}` });

  it.each(Object.entries(NETWORK_FAULTS))(
    'that %s breaks no promise: one holder, prompt losses, calls that settle, nothing touched that is foreign',
    async (_name, fault) => {
      const contenders = [
        site.contender({ ...JOB, label: 'behind the proxy', forMs: 3_500 }, proxied()),
        site.contender({ ...JOB, label: 'also behind it', forMs: 3_500 }, proxied()),
        site.contender({ ...JOB, label: 'well connected', forMs: 3_500 }),
      ];
      for (const one of contenders) await one.until('acquired');
      for (let i = 0; i < 3; i += 1) {
        await fault(proxy);
        await meddle(site);
        await pass(300);
      }
      await site.ended();
      const report = site.judge();
      expect(report.violations).toEqual([]);
      expect(Object.keys(report.turns)).toHaveLength(3);
      expect(report.leases).toBeGreaterThan(10);
      await pass(2 * OPERATION_MS);
      expect(await site.leftovers()).toEqual([]);
    },
  );

  it('that delays by less than the lease costs only time', async () => {
    proxy.delay(40);
    site.contender({ ...JOB, cycles: 15, lock: { leaseMs: 1_000 } }, proxied());
    site.contender({ ...JOB, cycles: 15, lock: { leaseMs: 1_000 } }, proxied());
    await site.ended();
    expect(site.judge()).toMatchObject({ violations: [], leases: 60, lost: 0, failures: {} });
  });

  it('that is gone lets a release say so in time, and the lock is free when the lease has ended', async () => {
    const holder = await site.peer('holder', { leaseMs: 800 }, proxied());
    const rival = await site.peer('rival');
    const lease = await holder.acquire();
    proxy.dropRequests();
    const start = performance.now();
    expect(await lease!.release()).toBe('unconfirmed');
    expect(performance.now() - start).toBeLessThanOrEqual(OPERATION_MS + 100);
    expect(lease!.isHeld).toBe(false);
    const next = await rival.acquire();
    expect(performance.now() - start).toBeLessThanOrEqual(800 + 1_000);
    expect(await next!.release()).toBe('released');
  });
});

/** A stranger tries to renew and to release what somebody else holds. */
async function meddle(site: Site): Promise<void> {
  const stranger = redis(site.options);
  await stranger.ready();
  const ref = { id: `${stranger.processId}:1`, resource: site.resource, shape: MUTEX };
  const [renewed] = await stranger.leases.renew([{ ...ref, leaseMs: 60_000, keepMs: 0 }]);
  const withdrawn = await stranger.leases.withdraw(ref, { keepMs: 0, leaveQueue: true });
  const told = { kind: 'meddled', at: sharedNow(), process: 'stranger', resource: site.resource } as const;
  site.tell({ ...told, verb: 'renew', outcome: renewed! });
  site.tell({ ...told, verb: 'withdraw', outcome: withdrawn });
  await stranger.close();
}
