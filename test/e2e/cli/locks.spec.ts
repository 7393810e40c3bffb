import { describe, expect, it } from '@jest/globals';
import { Bedrock, type Lease } from 'bedrock-lock';
import { redis } from 'bedrock-lock/redis';
import { eventually } from 'bedrock-testkit';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { bedrock, bedrockInTerminal, startBedrock } from './bedrock-command.js';
import { LocksFixture } from './locks-fixture.js';

const locks = new LocksFixture();

function holderOf({ id }: Lease): string {
  return id.replace(/\/.*/, '');
}

/** Once others can see the process of the holder. */
async function acquired(): Promise<Lease> {
  const mutex = locks.application.mutex(locks.resource);
  const lease = await mutex.acquire({ leaseMs: 60_000 });
  await eventually('the process is known', async () => (await mutex.inspect())[0]?.process !== undefined);
  return lease;
}

describe('bedrock show', () => {
  it('says that a lock is free', async () => {
    const outcome = await bedrock(['show', locks.resource], { environment: locks.environment });
    expect(outcome).toEqual({ code: 0, signal: null, stdout: `${locks.resource} is free\n`, stderr: '' });
  });

  it('shows the holder: id, process, mode, units, depth and the end of its lease', async () => {
    const lease = await acquired();
    const { code, stdout } = await bedrock(['show', locks.resource], { environment: locks.environment });
    const [title, blank, head, line, ...more] = stdout.split('\n');
    expect([code, title, blank, more]).toEqual([0, `${locks.resource} is held`, '', ['']]);
    expect(head).toMatch(/^HOLDER +PROCESS +MODE +UNITS +DEPTH +LEASE ENDS IN$/);
    expect(line).toMatch(/^\S+ +the application \d+@\S+ +exclusive +1 +1 +\d+(\.\d)? s$/);
    expect(line).toContain(holderOf(lease));
    await lease.release();
  });

  it('shows readers, a writer and permits, also under one name', async () => {
    const lock = locks.application.readWriteLock(locks.resource);
    const readers = [await lock.read.acquire(), await lock.read.acquire()];
    const permit = await locks.application
      .semaphore(`${locks.resource}:pool`, { permits: 5 })
      .acquire({ permits: 3 });
    const [shared, pool] = await Promise.all(
      [locks.resource, `${locks.resource}:pool`].map((name) =>
        bedrock(['show', '--json', name], { environment: locks.environment }),
      ),
    );
    expect(JSON.parse(shared!.stdout)).toMatchObject({
      resource: locks.resource,
      holders: [{ mode: 'shared', units: 1 }],
    });
    expect(JSON.parse(pool!.stdout)).toMatchObject({
      holders: [{ id: holderOf(permit), mode: 'shared', units: 3 }],
    });
    for (const lease of [...readers, permit]) await lease.release();
    const writer = await lock.write.acquire();
    const { stdout } = await bedrock(['show', locks.resource], { environment: locks.environment });
    expect(stdout).toMatch(/ exclusive +all +1 /);
    // The writer, once, below the head.
    expect(stdout.trimEnd().split('\n')).toHaveLength(4);
    const ended = await bedrock(['release', '--yes', locks.resource], { environment: locks.environment });
    expect(ended).toMatchObject({
      code: 0,
      stdout: `${locks.resource} was taken from ${holderOf(writer)}\n`,
    });
    await writer.release();
  });

  it('shows no hash that is no lock, and says what else a name is', async () => {
    const [hash, text] = [`${locks.resource}:hash`, `${locks.resource}:text`];
    await locks.client.hset(hash, { name: 'Ann', age: 30 });
    await locks.client.set(text, 'x');
    expect((await bedrock(['show', hash], { environment: locks.environment })).stdout).toBe(
      `${hash} is free\n`,
    );
    const other = await bedrock(['show', text], { environment: locks.environment });
    expect({ code: other.code, stdout: other.stdout }).toEqual({ code: 64, stdout: '' });
    expect(other.stderr).toMatch(/^error: "cli:.+" is in use for something else/);
  });

  it('shows names as harmless text', async () => {
    const { stdout } = await bedrock(['show', '\u202Ecod\u200B'], { environment: locks.environment });
    expect(stdout).toBe('\\u{202e}cod\\u{200b} is free\n');
  });
});

describe('bedrock wait', () => {
  it('ends once the lock is free, and has not taken it', async () => {
    const lease = await locks.application.mutex(locks.resource).acquire();
    const before = await locks.scriptsRun();
    const running = startBedrock(['wait', locks.resource], { environment: locks.environment });
    // A new connection runs some, and each look one for each of three kinds of lock.
    await eventually('it has looked again', async () => (await locks.scriptsRun()) >= before + 12);
    expect(running.process.exitCode).toBeNull();
    await lease.release();
    expect(await running.ended).toEqual({ code: 0, signal: null, stdout: '', stderr: '' });
    const next = await locks.application.mutex(locks.resource).tryAcquire();
    expect(next).not.toBeNull();
    await next!.release();
  });

  it('goes on after an outage', async () => {
    const lease = await locks.application.mutex(locks.resource).acquire({ leaseMs: 60_000 });
    const before = await locks.scriptsRun();
    const running = startBedrock(['wait', locks.resource], { environment: locks.environment });
    await eventually('it has looked', async () => (await locks.scriptsRun()) >= before + 6);
    locks.server.pause();
    await sleep(2_000);
    locks.server.resume();
    expect(running.process.exitCode).toBeNull();
    await lease.release();
    expect(await running.ended).toMatchObject({ code: 0, stderr: '' });
  });

  it('ends with 75 for a lock that is still held after --wait', async () => {
    const lease = await acquired();
    const { code, stdout, stderr } = await bedrock(['wait', '--wait', '200ms', locks.resource], {
      environment: locks.environment,
    });
    expect({ code, stdout }).toEqual({ code: 75, stdout: '' });
    expect(stderr).toMatch(/: is still held by the application \d+@\S+ \(lease ends in .+\)\n$/);
    await lease.release();
  });
});

describe('bedrock release', () => {
  it('frees the lock at once with --yes, after it has shown whom that hurts', async () => {
    const lease = await acquired();
    const { code, stdout, stderr } = await bedrock(['release', '--yes', locks.resource], {
      environment: locks.environment,
    });
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: `${locks.resource} was taken from ${holderOf(lease)}\n`,
    });
    expect(stderr).toContain(`${locks.resource} is held\n\nHOLDER`);
    expect(stderr).toContain(holderOf(lease));
    expect(stderr).toContain('only fencing tokens protect from that');
    await eventually('its holder hears of it', () => lease.isLost);
    expect(await locks.application.mutex(locks.resource).inspect()).toEqual([]);
  });

  it('changes nothing with --dry-run, or without a terminal to ask on', async () => {
    const lease = await acquired();
    const dry = await bedrock(['release', '--dry-run', locks.resource], { environment: locks.environment });
    expect({ code: dry.code, stdout: dry.stdout }).toEqual({ code: 0, stdout: '' });
    const silent = await bedrock(['release', locks.resource], { environment: locks.environment });
    expect(silent.code).toBe(64);
    expect(silent.stderr).toMatch(/error: add --yes to release it: there is no terminal to ask on\n$/);
    expect(lease.isHeld).toBe(true);
    expect(await lease.release()).toBe('released');
  });

  it.each([
    ['y', 0, true],
    ['no', 75, false],
    ['', 75, false],
  ])('asks in a terminal, and takes %j for an answer', async (answer, code, isLost) => {
    const lease = await acquired();
    const typing = [{ see: '[y/N]', type: `${answer}\n` }];
    const outcome = await bedrockInTerminal(['release', locks.resource], typing, locks.environment);
    expect(outcome.stdout).toContain('Really release it? [y/N]');
    expect(outcome.code).toBe(code);
    if (isLost) await eventually('its holder hears of it', () => lease.isLost);
    expect(lease.isHeld).toBe(!isLost);
    await lease.release();
  });

  it('leaves a lock alone that has another holder than the one that is named', async () => {
    const lease = await acquired();
    const earlier = `${randomUUID()}:1`;
    const other = await bedrock(['release', '--yes', '--holder', earlier, locks.resource], {
      environment: locks.environment,
    });
    expect(other).toMatchObject({
      code: 75,
      stdout: `${locks.resource} has another holder; it was left alone\n`,
    });
    expect(lease.isHeld).toBe(true);
    const own = await bedrock(['release', '--yes', '--holder', holderOf(lease), '--json', locks.resource], {
      environment: locks.environment,
    });
    expect(JSON.parse(own.stdout)).toEqual({
      resource: locks.resource,
      ended: [holderOf(lease)],
      changed: [],
    });
  });

  it('has nothing to do for a lock that is free', async () => {
    const outcome = await bedrock(['release', locks.resource], { environment: locks.environment });
    expect(outcome).toEqual({ code: 0, signal: null, stdout: `${locks.resource} is free\n`, stderr: '' });
  });
});

describe('bedrock revoke', () => {
  it('refuses renewals: the lock is free at the end of its lease', async () => {
    const mutex = locks.application.mutex(locks.resource);
    const lease = await mutex.acquire({ leaseMs: 2_000 });
    const { code, stdout } = await bedrock(['revoke', '--yes', locks.resource], {
      environment: locks.environment,
    });
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: `${locks.resource} is revoked for ${holderOf(lease)}\n`,
    });
    const shown = await bedrock(['show', locks.resource], { environment: locks.environment });
    expect(shown.stdout).toMatch(/(, revoked| is free)\n$/);
    await eventually('the lease is lost', () => lease.isLost);
    expect(await mutex.inspect()).toEqual([]);
  });

  it('ends the lease of one reader alone when it is named', async () => {
    const [one, other] = await Promise.all(
      ['one', 'other'].map(async (label) => {
        const reader = new Bedrock({ backend: redis({ url: locks.server.url, label }) });
        return { reader, lease: await reader.readWriteLock(locks.resource).read.acquire({ leaseMs: 2_000 }) };
      }),
    );
    const args = ['revoke', '--yes', '--holder', holderOf(one!.lease), locks.resource];
    expect((await bedrock(args, { environment: locks.environment })).code).toBe(0);
    await eventually('its lease is lost', () => one!.lease.isLost);
    expect(other!.lease.isHeld).toBe(true);
    await Promise.all([one, other].map((peer) => peer!.reader.close()));
  });
});

it.each(['show', 'wait', 'release', 'revoke'])(
  'bedrock %s ends with 69 if the backend does not answer',
  async (verb) => {
    const url = 'redis://user:secret-word@127.0.0.1:9';
    const args = [verb, '--url', url, '--operation-timeout', '100ms', locks.resource];
    const { code, stdout, stderr } = await bedrock(args);
    expect({ code, stdout }).toEqual({ code: 69, stdout: '' });
    expect(stderr).toMatch(/^error: redis is unavailable: /);
    expect(stderr).not.toContain('secret-word');
  },
  30_000,
);
