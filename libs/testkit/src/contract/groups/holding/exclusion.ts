import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UNHURRIED } from '../../../contender/contender-job.js';
import type { ContractGroup } from '../../context/contract-group.js';

export const exclusion: ContractGroup = {
  'lets one holder in at a time, across processes and their callers, and loses no update': async (
    context,
  ) => {
    const folder = mkdtempSync(join(tmpdir(), 'bedrock-contract-'));
    const counterFile = join(folder, 'counter');
    writeFileSync(counterFile, '0');
    try {
      const cycles = context.cycles(25);
      const job = { tasks: 2, cycles, bodyMs: [0, 2], counterFile, lock: UNHURRIED } as const;
      const { leases, losses, failures } = await context.runContenders([job, job, job]);
      assert.deepEqual({ leases, losses, failures }, { leases: 6 * cycles, losses: [], failures: {} });
      assert.equal(readFileSync(counterFile, 'utf8'), String(6 * cycles));
    } finally {
      rmSync(folder, { recursive: true });
    }
  },

  'stays exclusive while a claim passes from caller to caller without a round trip': async (context) => {
    const job = { tasks: 20, cycles: context.cycles(20) };
    const { leases } = await context.runContenders([job, job]);
    assert.equal(leases, 40 * job.cycles);
  },

  'keeps others out while one holds, and lets them in afterwards': async (context) => {
    const [one, other] = [await context.peer(), await context.peer()];
    const lease = await context.lock(one).acquire();
    const lock = context.lock(other);
    assert.equal(await lock.tryAcquire(), null);
    await assert.rejects(lock.acquire({ waitMs: 60 }), { code: 'LOCK_WAIT_TIMEOUT' });
    assert.equal(await lease.release(), 'released');
    const next = await lock.acquire();
    assert.equal(next.isHeld, true);
    assert.equal(lease.isHeld, false);
  },

  'does not confuse resources, however alike their names': async (context) => {
    const peer = await context.peer();
    const names = ['', ':a', ':A', ':a:', ':{a}', ':a*', ':ä', ':a b'].map((end) => context.resource + end);
    const leases = await Promise.all(names.map((name) => peer.mutex(name).acquire()));
    assert.ok(leases.every(({ isHeld }) => isHeld));
    const other = await context.peer();
    for (const name of names) assert.equal(await other.mutex(name).tryAcquire(), null);
    for (const lease of leases) assert.equal(await lease.release(), 'released');
    await context.eventually('all are empty', async () => {
      const states = await Promise.all(names.map((name) => context.harness.isEmpty(name)));
      return states.every(Boolean);
    });
  },
};
