import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { BackendUnavailableError, type Backend } from 'bedrock-lock';
import { redis } from 'bedrock-lock/redis';
import { claimOf, eventually, FREE, granted, ManualClock } from 'bedrock-testkit';
import type { Send } from '../../../../libs/lock/src/backends/redis/connection/redis-calls.js';
import { GuardAgreement } from '../../../../libs/lock/src/backends/redis/server/guard-agreement.js';
import { RedisFixture } from './fixture.js';

const GUARD = 'bedrock_guard';
const MAX_LEASE_MS = 400;
const dir = mkdtempSync(join(tmpdir(), 'bedrock-guard-'));
const fixture = new RedisFixture();

beforeAll(() => fixture.start({ dir, args: ['--appendonly', 'yes', '--appendfsync', 'always'] }));
afterEach(() => fixture.clean());
afterAll(async () => {
  await fixture.stop();
  rmSync(dir, { recursive: true });
});

function guarded(coldStart?: 'wait' | 'trust'): Promise<Backend> {
  return fixture.backend({ restartGuard: true, maxLeaseMs: MAX_LEASE_MS, ...(coldStart && { coldStart }) });
}

async function ask(backend: Backend, resource = 'lock'): Promise<string> {
  try {
    const verdict = await backend.leases.claim(claimOf(backend, resource, { leaseMs: 200 }));
    return verdict.kind;
  } catch (error) {
    if (!(error instanceof BackendUnavailableError)) throw error;
    expect(error.executed).toBe('no');
    return /quarantined for \d+ ms/.test(error.message) ? 'quarantined' : error.message;
  }
}

async function runId(): Promise<string> {
  return /run_id:(\w+)/.exec(await fixture.observer.info('server'))![1]!;
}

/** The quarantine lasts as long as it should, and then grants are given. */
async function sitOut(backend: Backend, since: number): Promise<void> {
  await eventually('the end of the quarantine', async () => (await ask(backend)) === 'granted');
  expect(performance.now() - since).toBeGreaterThanOrEqual(MAX_LEASE_MS);
  expect(await fixture.observer.get(GUARD)).toBe(await runId());
}

describe('restartGuard', () => {
  it('is off by default and leaves no key', async () => {
    const mine = await fixture.backend();
    await granted(mine, 'lock');
    expect(await fixture.observer.exists(GUARD)).toBe(0);
  });

  it('wants one longest lease of all processes, and refuses another at the start', async () => {
    const open = (maxLeaseMs: number) =>
      redis({ url: fixture.server.url, restartGuard: true, maxLeaseMs, operationTimeoutMs: 500 });
    const [first, same, other] = [open(400), open(400), open(500)];
    const unguarded = redis({ url: fixture.server.url, maxLeaseMs: 500 });
    try {
      await Promise.all([first.ready(), same.ready(), unguarded.ready()]);
      await expect(other.ready()).rejects.toMatchObject({
        code: 'INVALID_OPTION',
        field: 'maxLeaseMs',
        message: expect.stringContaining(
          'must be 400, the value of other processes with restartGuard',
        ) as unknown,
      });
      expect(await fixture.observer.pttl('bedrock_guard_lease')).toBeGreaterThan(50_000);
      // Without a word of ready() it is not served either.
      await expect(other.leases.claim(claimOf(other, 'lock'))).rejects.toMatchObject({
        code: 'BACKEND_UNAVAILABLE',
        executed: 'no',
        message: expect.stringContaining('must be 400') as unknown,
      });
      // No process has said it for a minute.
      await fixture.observer.del('bedrock_guard_lease');
      await eventually('it is served', async () => ['granted', 'quarantined'].includes(await ask(other)));
    } finally {
      await Promise.all([first, same, other, unguarded].map((backend) => backend.close()));
    }
  });

  it('warns a process that was idle while others agreed on another longest lease', async () => {
    const warn = jest.spyOn(process, 'emitWarning').mockReturnValue(undefined);
    const clock = new ManualClock();
    const send: Send = (command, args) => fixture.observer.call(command, [...args]);
    const idle = new GuardAgreement(400, send, clock);
    await idle.reach(send);
    await fixture.observer.set('bedrock_guard_lease', 500, 'PX', 60_000);
    idle.refresh();
    clock.block(20_000);
    idle.refresh();
    await eventually('a warning', () => warn.mock.calls.length > 0);
    clock.block(20_000);
    idle.refresh();
    expect(warn.mock.calls).toEqual([
      [expect.stringContaining('must be 500'), { type: 'BedrockWarning', code: 'BEDROCK_GUARD_LEASE' }],
    ]);
    expect(await fixture.observer.get('bedrock_guard_lease')).toBe('500');
    warn.mockRestore();
  });

  it('lasts no longer than the longest lease where the clock of the server was set back', async () => {
    const mine = await guarded('trust');
    expect(await ask(mine)).toBe('granted');
    await fixture.observer.set(GUARD, `${await runId()}:${Date.now() + 3_600_000}`);
    const start = performance.now();
    expect(await ask(mine, 'other')).toBe('quarantined');
    await sitOut(mine, start);
  });

  it('begins with a quarantine of one longest lease, from the first connection on', async () => {
    const start = performance.now();
    const mine = await guarded();
    expect(await ask(mine)).toBe('quarantined');
    expect(await fixture.observer.get(GUARD)).toMatch(new RegExp(`^${await runId()}:\\d{13}$`));
    await sitOut(mine, start);
    expect(await ask(await guarded(), 'other')).toBe('granted');
  });

  it('grants at once with coldStart: trust, and for every process', async () => {
    const mine = await guarded('trust');
    expect(await ask(mine)).toBe('granted');
    expect(await fixture.observer.get(GUARD)).toBe(await runId());
    expect(await ask(await guarded('wait'), 'other')).toBe('granted');
  });

  it('does not let trust shorten a quarantine that runs', async () => {
    const start = performance.now();
    await guarded('wait');
    const trusting = await guarded('trust');
    expect(await ask(trusting)).toBe('quarantined');
    await sitOut(trusting, start);
  });

  it('quarantines after FLUSHALL, also processes that trusted at their start', async () => {
    const mine = await guarded('trust');
    await fixture.observer.flushall();
    const start = performance.now();
    expect(await ask(mine)).toBe('quarantined');
    await sitOut(mine, start);
  });

  it('quarantines after a restart with empty data, also processes that trusted at their start', async () => {
    const mine = await guarded('trust');
    await fixture.observer.flushall();
    await fixture.server.restart();
    await eventually('the reconnection', async () => (await ask(mine)) === 'quarantined');
    await eventually('the end of the quarantine', async () => (await ask(mine)) === 'granted');
  });

  it('quarantines after a restart with old data, and renews and releases what survived', async () => {
    const mine = await guarded('trust');
    const claim = await granted(mine, 'held', { leaseMs: 30_000 });
    const before = await runId();
    await fixture.server.restart();
    await eventually('the reconnection', async () => (await ask(mine)) === 'quarantined');
    expect(await runId()).not.toBe(before);
    expect(await mine.leases.renew([{ ...claim, keepMs: 0 }])).toEqual(['renewed']);
    expect(await mine.leases.withdraw(claim, FREE)).toBe('released');
    await eventually('the end of the quarantine', async () => (await ask(mine)) === 'granted');
  });

  it('sends no claim before it knows the run of the server', async () => {
    const mine = await guarded('trust');
    await fixture.observer.call('client', 'kill', 'type', 'normal', 'skipme', 'yes');
    await eventually('the loss is noticed', async () => (await ask(mine)).includes('not connected'));
    await eventually('the reconnection', async () => (await ask(mine)) === 'granted');
  });
});
