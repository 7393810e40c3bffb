import assert from 'node:assert/strict';
import type { AdminDriver, HeldResource } from 'bedrock-lock/backend';
import type { ContractContext } from '../../context/contract-context.js';
import type { ContractGroup } from '../../context/contract-group.js';

async function adminOf(context: ContractContext): Promise<AdminDriver> {
  const { admin } = await context.backend();
  assert.ok(admin, 'the backend has an AdminDriver');
  return admin;
}

/** All pages, by each of the drivers in turn. A lock may be listed twice, as where a server moves its keys. */
async function listAll(
  drivers: readonly AdminDriver[],
  prefix: string,
  limit = 100,
): Promise<HeldResource[]> {
  const found = new Map<string, HeldResource>();
  let cursor: string | undefined;
  for (let pages = 0; pages === 0 || cursor !== undefined; pages += 1) {
    const page = await drivers[pages % drivers.length]!.list({
      prefix,
      limit,
      ...(cursor !== undefined && { cursor }),
    });
    for (const one of page.resources) found.set(one.resource, one);
    cursor = page.cursor;
  }
  return [...found.values()].sort((a, b) => (a.resource < b.resource ? -1 : 1));
}

export const administration: ContractGroup = {
  'lists what is held, with its holder, and nothing that is free': async (context) => {
    const peer = await context.peer({ label: 'till 3' });
    const admin = await adminOf(context);
    const lock = context.lock(peer);
    const [held, free] = [await lock.for('held').acquire(), await lock.for('free').acquire()];
    await free.release();
    await context.eventually('the process is known', async () => {
      const [one] = await listAll([admin], `${context.resource}:`);
      return one?.holders[0]?.process !== undefined;
    });
    const listed = await listAll([admin], `${context.resource}:`);
    assert.deepEqual(
      listed.map(({ resource }) => resource),
      [held.resource],
    );
    const [holder, ...others] = listed[0]!.holders;
    assert.deepEqual(others, []);
    assert.ok(held.id.startsWith(holder!.id));
    assert.deepEqual(
      [holder!.mode, holder!.units, holder!.depth, holder!.revoked],
      ['exclusive', 1, 1, false],
    );
    assert.equal(holder!.process!.label, 'till 3');
    assert.equal(listed[0]!.waiters, 0);
    await held.release();
    assert.deepEqual(await listAll([admin], `${context.resource}:`), []);
  },

  'lists every lock with the prefix, whatever its characters, in pages': async (context) => {
    const peer = await context.peer();
    const admin = await adminOf(context);
    const keys = ['a', 'a*', 'a?', 'a[b]', 'a/b', 'a%2F', 'ä', '💰', 'a b', 'a\\', 'a{b}', "a'"];
    const leases = await Promise.all(keys.map((key) => context.lock(peer).for(key).acquire()));
    const names = leases.map(({ resource }) => resource).sort();
    // A cursor is worth the same to another process.
    const drivers = [admin, await adminOf(context)];
    for (const limit of [1, 5, 1_000]) {
      const listed = await listAll(drivers, `${context.resource}:`, limit);
      assert.deepEqual(listed.map(({ resource }) => resource).sort(), names, `pages of ${limit}`);
    }
    // The prefix is a text and no pattern.
    const one = await listAll([admin], `${context.resource}:a*`);
    assert.deepEqual(
      one.map(({ resource }) => resource),
      names.filter((name) => name.startsWith(`${context.resource}:a*`)),
    );
    assert.deepEqual(await listAll([admin], `${context.resource}?`), []);
    await Promise.all(leases.map((lease) => lease.release()));
  },

  'counts the processes that wait for a lock': async (context) => {
    const [holder, waiter] = [await context.peer(), await context.peer()];
    const admin = await adminOf(context);
    const lease = await context.lock(holder).acquire();
    const waiting = [context.lock(waiter).acquire(), context.lock(waiter).acquire()];
    await context.eventually('the process is in the queue', async () => {
      const [one] = await admin.find(context.resource);
      return one!.waiters === 1;
    });
    await lease.release();
    for (const next of waiting) await (await next).release();
    await context.becomesEmpty();
  },

  'finds a lock by its name, and by its shape the holder is freed': async (context) => {
    const peer = await context.peer();
    const backend = await context.backend();
    assert.deepEqual(await backend.admin!.find(context.resource), []);
    const lease = await context.lock(peer).acquire();
    const [found, ...others] = await backend.admin!.find(context.resource);
    assert.deepEqual([others, found!.resource, found!.holders.length], [[], context.resource, 1]);
    const { shape, holders } = found!;
    assert.equal(await backend.leases.revoke(context.resource, shape, 'now', holders[0]!.id), true);
    assert.deepEqual(await backend.admin!.find(context.resource), []);
    await context.eventually('the holder hears of it', () => !lease.isHeld);
    await context.becomesEmpty();
  },

  'names the processes': async (context) => {
    const peer = await context.peer({ label: 'till 4' });
    const admin = await adminOf(context);
    const lease = await context.lock(peer).acquire();
    await context.eventually('the process is named', async () =>
      (await admin.processes()).some(
        ({ id, pid, label }) => lease.id.startsWith(id) && pid === process.pid && label === 'till 4',
      ),
    );
    await lease.release();
  },

  'refuses a wrong request by the name of its field': async (context) => {
    const admin = await adminOf(context);
    for (const limit of [0, 1.5, 1_001])
      await assert.rejects(admin.list({ prefix: '', limit }), { code: 'INVALID_OPTION', field: 'limit' });
    for (const text of [7 as unknown as string, 'a\0', '\uD800']) {
      await assert.rejects(admin.list({ prefix: text, limit: 1 }), {
        code: 'INVALID_OPTION',
        field: 'prefix',
      });
      await assert.rejects(admin.find(text), { code: 'INVALID_OPTION', field: 'resource' });
    }
  },
};
