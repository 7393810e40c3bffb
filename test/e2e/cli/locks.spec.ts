import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Bedrock, type Lease } from 'bedrock-lock';
import { redis } from 'bedrock-lock/redis';
import { startRedis, type RunningServer } from 'bedrock-servers';
import { eventually } from 'bedrock-testkit';
import { Redis } from 'ioredis';
import { randomUUID } from 'node:crypto';
import { bedrock, bedrockInTerminal, startBedrock } from './bedrock-command.js';

let server: RunningServer;
/** An application that holds the locks. */
let application: Bedrock;
let environment: { readonly BEDROCK_URL: string };
let resource: string;

beforeAll(async () => {
  server = await startRedis();
  environment = { BEDROCK_URL: server.url };
  application = new Bedrock({ backend: redis({ url: server.url, label: 'the application' }) });
}, 60_000);
afterAll(async () => {
  await application?.close({ graceMs: 0 });
  await server?.stop();
});
beforeEach(() => {
  resource = `cli:${randomUUID()}`;
});

function holderOf({ id }: Lease): string {
  return id.replace(/\/.*/, '');
}

/** Once others can see the process of the holder. */
async function acquired(): Promise<Lease> {
  const mutex = application.mutex(resource);
  const lease = await mutex.acquire({ leaseMs: 60_000 });
  await eventually('the process is known', async () => (await mutex.inspect())[0]?.process !== undefined);
  return lease;
}

describe('bedrock show', () => {
  it('says that a lock is free', async () => {
    const outcome = await bedrock(['show', resource], { environment });
    expect(outcome).toEqual({ code: 0, signal: null, stdout: `${resource} is free\n`, stderr: '' });
  });

  it('shows the holder: id, process, mode, units, depth and the end of its lease', async () => {
    const lease = await acquired();
    const { code, stdout } = await bedrock(['show', resource], { environment });
    const [title, blank, head, line, ...more] = stdout.split('\n');
    expect([code, title, blank, more]).toEqual([0, `${resource} is held`, '', ['']]);
    expect(head).toMatch(/^HOLDER +PROCESS +MODE +UNITS +DEPTH +LEASE ENDS IN$/);
    expect(line).toMatch(/^\S+ +the application \d+@\S+ +exclusive +1 +1 +\d+(\.\d)? s$/);
    expect(line).toContain(holderOf(lease));
    await lease.release();
  });

  it('shows readers, a writer and permits, also under one name', async () => {
    const lock = application.readWriteLock(resource);
    const readers = [await lock.read.acquire(), await lock.read.acquire()];
    const permit = await application.semaphore(`${resource}:pool`, { permits: 5 }).acquire({ permits: 3 });
    const [shared, pool] = await Promise.all(
      [resource, `${resource}:pool`].map((name) => bedrock(['show', '--json', name], { environment })),
    );
    expect(JSON.parse(shared!.stdout)).toMatchObject({ resource, holders: [{ mode: 'shared', units: 1 }] });
    expect(JSON.parse(pool!.stdout)).toMatchObject({
      holders: [{ id: holderOf(permit), mode: 'shared', units: 3 }],
    });
    for (const lease of [...readers, permit]) await lease.release();
    const writer = await lock.write.acquire();
    const { stdout } = await bedrock(['show', resource], { environment });
    expect(stdout).toMatch(/ exclusive +all +1 /);
    // The writer, once, below the head.
    expect(stdout.trimEnd().split('\n')).toHaveLength(4);
    const ended = await bedrock(['release', '--yes', resource], { environment });
    expect(ended).toMatchObject({ code: 0, stdout: `${resource} was taken from ${holderOf(writer)}\n` });
    await writer.release();
  });

  it('shows no hash that is no lock, and no text', async () => {
    const client = new Redis(server.url);
    await client.hset(`${resource}:hash`, { name: 'Ann', age: 30 });
    await client.set(`${resource}:text`, 'x');
    client.disconnect();
    for (const name of [`${resource}:hash`, `${resource}:text`])
      expect((await bedrock(['show', name], { environment })).stdout).toBe(`${name} is free\n`);
  });

  it('shows names as harmless text', async () => {
    const { stdout } = await bedrock(['show', '\u202Ecod\u200B'], { environment });
    expect(stdout).toBe('\\u{202e}cod\\u{200b} is free\n');
  });
});

describe('bedrock wait', () => {
  it('ends once the lock is free, and has not taken it', async () => {
    const lease = await application.mutex(resource).acquire();
    const running = startBedrock(['wait', resource], { environment });
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(running.process.exitCode).toBeNull();
    await lease.release();
    expect(await running.ended).toEqual({ code: 0, signal: null, stdout: '', stderr: '' });
    const next = await application.mutex(resource).tryAcquire();
    expect(next).not.toBeNull();
    await next!.release();
  });

  it('ends with 75 for a lock that is still held after --wait', async () => {
    const lease = await acquired();
    const { code, stdout, stderr } = await bedrock(['wait', '--wait', '200ms', resource], { environment });
    expect({ code, stdout }).toEqual({ code: 75, stdout: '' });
    expect(stderr).toMatch(/: is still held by the application \d+@\S+ \(lease ends in .+\)\n$/);
    await lease.release();
  });
});

describe('bedrock release', () => {
  it('frees the lock at once with --yes, after it has shown whom that hurts', async () => {
    const lease = await acquired();
    const { code, stdout, stderr } = await bedrock(['release', '--yes', resource], { environment });
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${resource} was taken from ${holderOf(lease)}\n` });
    expect(stderr).toContain(`${resource} is held\n\nHOLDER`);
    expect(stderr).toContain(holderOf(lease));
    expect(stderr).toContain('only fencing tokens protect from that');
    await eventually('its holder hears of it', () => lease.isLost);
    expect(await application.mutex(resource).inspect()).toEqual([]);
  });

  it('changes nothing with --dry-run, or without a terminal to ask on', async () => {
    const lease = await acquired();
    const dry = await bedrock(['release', '--dry-run', resource], { environment });
    expect({ code: dry.code, stdout: dry.stdout }).toEqual({ code: 0, stdout: '' });
    const silent = await bedrock(['release', resource], { environment });
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
    const outcome = await bedrockInTerminal(['release', resource], {
      environment,
      question: '[y/N]',
      answer,
    });
    expect(outcome.stdout).toContain('Really release it? [y/N]');
    expect(outcome.code).toBe(code);
    if (isLost) await eventually('its holder hears of it', () => lease.isLost);
    expect(lease.isHeld).toBe(!isLost);
    await lease.release();
  });

  it('leaves a lock alone that has another holder than the one that is named', async () => {
    const lease = await acquired();
    const earlier = `${randomUUID()}:1`;
    const other = await bedrock(['release', '--yes', '--holder', earlier, resource], { environment });
    expect(other).toMatchObject({ code: 75, stdout: `${resource} has another holder; it was left alone\n` });
    expect(lease.isHeld).toBe(true);
    const own = await bedrock(['release', '--yes', '--holder', holderOf(lease), '--json', resource], {
      environment,
    });
    expect(JSON.parse(own.stdout)).toEqual({ resource, ended: [holderOf(lease)], changed: [] });
  });

  it('has nothing to do for a lock that is free', async () => {
    const outcome = await bedrock(['release', resource], { environment });
    expect(outcome).toEqual({ code: 0, signal: null, stdout: `${resource} is free\n`, stderr: '' });
  });
});

describe('bedrock revoke', () => {
  it('refuses renewals: the lock is free at the end of its lease', async () => {
    const mutex = application.mutex(resource);
    const lease = await mutex.acquire({ leaseMs: 2_000 });
    const { code, stdout } = await bedrock(['revoke', '--yes', resource], { environment });
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: `${resource} is revoked for ${holderOf(lease)}\n`,
    });
    const shown = await bedrock(['show', resource], { environment });
    expect(shown.stdout).toMatch(/(, revoked| is free)\n$/);
    await eventually('the lease is lost', () => lease.isLost);
    expect(await mutex.inspect()).toEqual([]);
  });

  it('ends the lease of one reader alone when it is named', async () => {
    const [one, other] = await Promise.all(
      ['one', 'other'].map(async (label) => {
        const reader = new Bedrock({ backend: redis({ url: server.url, label }) });
        return { reader, lease: await reader.readWriteLock(resource).read.acquire({ leaseMs: 2_000 }) };
      }),
    );
    const args = ['revoke', '--yes', '--holder', holderOf(one!.lease), resource];
    expect((await bedrock(args, { environment })).code).toBe(0);
    await eventually('its lease is lost', () => one!.lease.isLost);
    expect(other!.lease.isHeld).toBe(true);
    await Promise.all([one, other].map((peer) => peer!.reader.close()));
  });
});

it.each(['show', 'wait', 'release', 'revoke'])(
  'bedrock %s ends with 69 if the backend does not answer',
  async (verb) => {
    const url = 'redis://user:secret-word@127.0.0.1:9';
    const args = [verb, '--url', url, '--operation-timeout', '100ms', resource];
    const { code, stdout, stderr } = await bedrock(args);
    expect({ code, stdout }).toEqual({ code: 69, stdout: '' });
    expect(stderr).toMatch(/^error: redis is unavailable: /);
    expect(stderr).not.toContain('secret-word');
  },
  30_000,
);
