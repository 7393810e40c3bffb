import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startRedis, type RunningServer } from 'bedrock-servers';
import { LONG_LEASE, LONG_TIMEOUT, ecosphere } from './ecosphere-command.js';

const onMemory = async () => ['--backend', 'memory'];
let server: RunningServer;
const onRedis = async () => ['--backend', 'redis', '--url', server.url, ...LONG_TIMEOUT];

beforeAll(async () => {
  server = await startRedis();
});
afterAll(() => server?.stop());

describe.each([
  ['in memory', onMemory],
  ['on Redis', onRedis],
])('%s', (place, backend) => {
  it('times one acquire and release, cold and warm, and every one is sound', async () => {
    const { code, stdout, lastLine } = await ecosphere([
      '--scenario', 'lock-time', '--rounds', '300', ...(await backend()),
    ]); // prettier-ignore
    expect(lastLine).toBe('lock time: cycles 310, sound 310');
    expect(stdout).toMatch(/^ +cold +[\d.]+ [µm]s/m);
    expect(stdout).toMatch(/^ +warm +[\d.]+ [µm]s/m);
    expect(stdout).toContain('the fencing tokens grew each time');
    if (place === 'on Redis') expect(stdout).toMatch(/commands per warm cycle +2\.00/);
    expect(code).toBe(0);
  });

  it('lets every flow in under contention, one at a time, and loses no update', async () => {
    const { code, stdout, lastLine } = await ecosphere(['--scenario', 'contention', ...(await backend())]);
    // Four flows in one process; on Redis, then four processes of four flows too.
    const turns = place === 'on Redis' ? 1_000 : 200;
    expect(lastLine).toBe(`contention: turns ${turns}, lost updates 0, overlaps 0`);
    expect(stdout).toContain('every flow had all of its 50 turns');
    expect(code).toBe(0);
  }, 40_000);

  it('keeps a lock over several leases, and tells of the loss where nothing renews it', async () => {
    const { code, stdout, lastLine } = await ecosphere([
      '--scenario',
      'lock-delay',
      ...LONG_LEASE,
      ...(await backend()),
    ]);
    const form = /^lock delay: held 6000 ms on leases of 3000 ms, renewals (\d+), lost 0$/;
    expect(Number(form.exec(lastLine)?.[1])).toBeGreaterThan(0);
    expect(stdout).toContain('the rival got in after the work, not before');
    expect(stdout).toContain('the caller got LOCK_LOST');
    expect(code).toBe(0);
  });
});
