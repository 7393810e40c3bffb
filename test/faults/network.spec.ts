import { startProxy, type TcpProxy } from 'bedrock-servers';
import { MUTEX } from 'bedrock-lock/backend';
import { redis } from 'bedrock-lock/redis';
import { liveness, sharedNow } from 'bedrock-testkit';
import { networkFaults } from './network-suite.js';
import { OPERATION_MS, Site } from './site.js';

/** A lease that no stall of a process ends. */
const LONG = { leaseMs: 20_000 } as const;
const JOB = { tasks: 2, bodyMs: [1, 15], sampleMs: 5 } as const;

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

  it('that delays by less than the lease costs only time', async () => {
    proxy.delay(40);
    for (let i = 0; i < 2; i += 1) site.contender({ ...JOB, cycles: 15, lock: LONG }, proxied());
    await site.ended();
    expect(site.judge()).toMatchObject({ leases: 60, lost: 0, failures: {} });
  });

  it('that is gone lets a release say so in time, and the lock is free when the lease has ended', async () => {
    const holder = await site.peer('holder', { leaseMs: 800 }, proxied());
    const rival = await site.peer('rival', {}, { operationTimeoutMs: 5_000 });
    const lease = await holder.acquire();
    proxy.dropRequests();
    const next = await liveness.within('a lock whose holder is gone', 800 + 1_000, async () => {
      const outcome = await liveness.within('a release', OPERATION_MS + 100, () => lease!.release());
      expect(outcome).toBe('unconfirmed');
      expect(lease!.isHeld).toBe(false);
      return rival.acquire();
    });
    expect(await next!.release()).toBe('released');
  });
});

/** A stranger tries to renew and to release another holder's lock. */
async function meddle(site: Site): Promise<void> {
  const stranger = redis({ ...site.options, operationTimeoutMs: 5_000 });
  await stranger.ready();
  const ref = { id: `${stranger.processId}:1`, resource: site.resource, shape: MUTEX };
  const [renewed] = await stranger.leases.renew([{ ...ref, leaseMs: 60_000, keepMs: 0 }]);
  const withdrawn = await stranger.leases.withdraw(ref, { keepMs: 0, leaveQueue: true });
  const told = { kind: 'meddled', at: sharedNow(), process: 'stranger', resource: site.resource } as const;
  site.tell({ ...told, verb: 'renew', outcome: renewed! });
  site.tell({ ...told, verb: 'withdraw', outcome: withdrawn });
  await stranger.close();
}

networkFaults({
  between: 'the process and its Redis',
  promise: 'breaks no promise: one holder, prompt losses, calls that settle, nothing touched that is foreign',
  job: JOB,
  leastLeases: 10,
  afterwards: meddle,
});
