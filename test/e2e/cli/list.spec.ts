import { describe, expect, it } from '@jest/globals';
import { eventually } from 'bedrock-testkit';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { bedrock, MAIN, startBedrock } from './bedrock-command.js';
import { LocksFixture } from './locks-fixture.js';
import { startCombination } from './engine-targets.js';

const locks = new LocksFixture();

describe('bedrock ls', () => {
  it('lists locks of every kind, and no hash that is none', async () => {
    const { application, resource, environment } = locks;
    await locks.client.hset(`${resource}:hash`, { name: 'Ann' });
    await locks.client.hset(`${resource}:java`, '6ba7b810-9dad-11d1-80b4-00c04fd430c8:12', 1);
    const leases = [
      await application.mutex(`${resource}:mutex`).acquire(),
      await application.fairMutex(`${resource}:fair`).acquire(),
      await application.readWriteLock(`${resource}:rw`).read.acquire(),
      await application.semaphore(`${resource}:pool`, { permits: 5 }).acquire({ permits: 3 }),
    ];
    const waiting = application.fairMutex(`${resource}:fair`).acquire({ waitMs: 60_000 });
    await eventually('it waits', () => application.stats().waiters === 1);
    const { code, stdout, stderr } = await bedrock(['ls', resource], { environment });
    const rows = stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/ {2,}/));
    expect([code, stderr, rows[0]]).toEqual([
      0,
      '',
      ['LOCK', 'HELD BY', 'MODE', 'HOLDERS', 'WAITERS', 'LEASE ENDS IN'],
    ]);
    expect(
      rows.slice(1).map(([name, , mode, , waiters]) => [name!.slice(resource.length), mode, waiters]),
    ).toEqual([
      [':fair', 'exclusive', '1'],
      [':java', 'exclusive', '0'],
      [':mutex', 'exclusive', '0'],
      [':pool', 'shared', '0'],
      [':rw', 'shared', '0'],
    ]);
    await leases[1]!.release();
    await (await waiting).release();
    for (const lease of leases) await lease.release();
    await locks.client.del(`${resource}:java`);
    expect(await bedrock(['ls', resource], { environment })).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'no lock is held\n',
    });
  });

  it('says that there are more than --limit', async () => {
    const { application, resource, environment } = locks;
    const leases = await Promise.all([1, 2, 3].map((key) => application.mutex(resource).for(key).acquire()));
    const { code, stdout, stderr } = await bedrock(['ls', '--limit', '2', '--json', resource], {
      environment,
    });
    expect([code, stdout.trimEnd().split('\n').length]).toEqual([0, 2]);
    expect(stderr).toBe('there are more than 2: see --limit, or give a prefix\n');
    expect((await bedrock(['ls', '--limit', '0'], { environment })).code).toBe(64);
    await Promise.all(leases.map((lease) => lease.release()));
  });

  it('ends quietly when its reader has gone', async () => {
    const lease = await locks.application.mutex(locks.resource).acquire();
    // `true` has ended long before the list begins.
    const command = ['-c', '"$0" "$1" ls | true', process.execPath, MAIN];
    const { stderr } = await promisify(execFile)('sh', command, {
      env: { ...process.env, ...locks.environment },
    });
    expect(stderr).toBe('');
    await lease.release();
  });
});

describe('bedrock watch', () => {
  it('repeats the list until it is interrupted', async () => {
    const lease = await locks.application.mutex(locks.resource).acquire();
    const args = ['watch', '--json', '--interval', '100ms', locks.resource];
    const running = startBedrock(args, { environment: locks.environment });
    const lists = () =>
      running.said.stdout
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line) as { locks: object[] });
    await eventually('it shows the lock', () => running.said.stdout.includes(lease.id.replace(/\/.*/, '')), {
      withinMs: 5_000,
    });
    await lease.release();
    await eventually('it shows no lock', () => lists().at(-1)!.locks.length === 0);
    running.process.kill('SIGINT');
    expect(await running.ended).toMatchObject({ code: 0, signal: null, stderr: '' });
  });
});

describe('bedrock nodes', () => {
  it('shows which nodes of a combination serve, and the locks on them', async () => {
    const { servers, file, stop } = await startCombination();
    try {
      const given = ['--combination', file, '--operation-timeout', '300ms'];
      const held = ['sh', '-c', 'echo on; exec sleep 60'];
      const running = startBedrock(['run', ...given, 'joint', '--', ...held]);
      await eventually('the command runs', () => running.said.stdout.includes('on'), { withinMs: 10_000 });
      await servers[2]!.stop();
      const states = (await bedrock(['nodes', ...given])).stdout
        .trimEnd()
        .split('\n')
        .map((line) => line.split(/ {2,}/));
      expect(states.map(([id, state]) => [id, state])).toEqual([
        ['NODE', 'STATE'],
        ['node-1', 'serves'],
        ['node-2', 'serves'],
        ['node-3', 'does not serve'],
      ]);
      const listed = await bedrock(['ls', ...given, '--json']);
      expect(JSON.parse(listed.stdout)).toMatchObject({
        resource: 'joint',
        holders: [{ nodes: ['node-1', 'node-2'] }],
      });
      running.process.kill('SIGTERM');
      await running.ended;
      await servers[1]!.stop();
      const tooFew = await bedrock(['nodes', ...given, '--json']);
      expect([tooFew.code, tooFew.stderr]).toEqual([
        69,
        expect.stringMatching(/1 of 3 nodes serve, and 2 are needed/),
      ]);
      const available = tooFew.stdout
        .trimEnd()
        .split('\n')
        .map((line) => (JSON.parse(line) as { isAvailable: boolean }).isAvailable);
      expect(available).toEqual([true, false, false]);
    } finally {
      await stop();
    }
  }, 60_000);

  it('asks for a file that says everything, and shows no password of it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'bedrock-cli-'));
    const file = join(folder, 'combination.json');
    writeFileSync(
      file,
      JSON.stringify({ nodes: [{ id: 'a', url: 'redis://u:secret@h' }], minNodes: 1, maxLeaseMs: 1 }),
    );
    const { code, stderr } = await bedrock(['nodes', '--combination', file]);
    rmSync(folder, { recursive: true, force: true });
    expect(code).toBe(64);
    expect(stderr).toContain('"nodes" must be a list of two or more');
    expect(stderr).not.toContain('secret');
  });
});
