import { redis } from 'bedrock-lock/redis';
import { startRedis, type RunningServer } from 'bedrock-servers';
import { eventually, liveness } from 'bedrock-testkit';
import { Redis } from 'ioredis';
import { bedrockOf, closeAll } from '../app.js';
import { healthApp, TIMEOUT_MS, untilSo, type HealthAnswer } from './health.js';

/** Beyond the time-out of a check: what two busy cores may add. */
const SLACK_MS = 600;

let server: RunningServer;
let observer: Redis;
beforeEach(async () => {
  server = await startRedis();
  observer = new Redis(server.port, { retryStrategy: () => 20, maxRetriesPerRequest: null });
  observer.on('error', () => undefined);
});
afterEach(async () => {
  server.resume();
  await closeAll();
  observer.disconnect();
  await server.stop();
});

function app(timeoutMs?: number) {
  const backend = () => redis({ url: server.url });
  return healthApp([{ name: 'a', failFast: true }], { backend }, timeoutMs);
}

/** The first answer with that status. Every answer comes in time. */
async function untilStatus(ask: () => Promise<HealthAnswer>, status: number): Promise<HealthAnswer> {
  return untilSo(ask, (answer) => {
    liveness.assertMedian('the answer', TIMEOUT_MS + SLACK_MS, [answer.timing]);
    return answer.status === status;
  });
}

describe('GET /health with Redis', () => {
  it('is 200 with the round trip, costs one command and leaves no key', async () => {
    const { app: running, ask } = await app();
    const { backend } = bedrockOf(running).bedrock();
    await ask();
    const before = backend.commands;
    const keys = await observer.dbsize();
    const { status, locks } = await ask();
    expect(status).toBe(200);
    expect(locks.backends['default']?.latencyMs).toBeGreaterThan(0);
    expect(backend.commands - before).toBe(1);
    expect(await observer.dbsize()).toBe(keys);
  });

  it('is 503 after a crash, in time and without the address, and 200 after the restart', async () => {
    const { ask } = await app();
    expect((await ask()).status).toBe(200);
    server.kill('SIGKILL');
    const down = await untilStatus(ask, 503);
    expect(Date.parse(down.locks.backends['default']!.since!)).toBeLessThanOrEqual(Date.now());
    const later = await ask();
    expect(later.locks.backends['default']?.since).toBe(down.locks.backends['default']?.since);
    for (const { text } of [down, later]) {
      expect(text).toContain('redis is unavailable');
      expect(text).not.toContain(server.host);
      expect(text).not.toContain(String(server.port));
    }
    await server.restart();
    await untilStatus(ask, 200);
  });

  it('is 503 in time while the server is stopped, and 200 when it goes on', async () => {
    const { ask } = await app(TIMEOUT_MS);
    server.pause();
    const { locks, timing } = await untilStatus(ask, 503);
    expect(locks.backends['default']?.error).toBe(`no answer within ${TIMEOUT_MS} ms`);
    // A timer counts in whole ms.
    expect(timing.to - timing.from).toBeGreaterThanOrEqual(TIMEOUT_MS - 1);
    server.resume();
    await untilStatus(ask, 200);
  });

  it('is 503 when the server answers pings but grants nothing, and 200 with the next grant', async () => {
    const { app: running, ask } = await app();
    const lock = bedrockOf(running).lock('a');
    await observer.config('SET', 'maxmemory', '1');
    await untilStatus(ask, 200);
    await expect(lock.run(() => 'ran')).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE' });
    const { status, locks } = await ask();
    expect({ status, error: locks.backends['default']?.error }).toEqual({
      status: 503,
      error: 'redis is unavailable: OOM',
    });
    await observer.config('SET', 'maxmemory', '0');
    await lock.run(() => 'ran');
    expect((await ask()).status).toBe(200);
  });

  it('is 503 when a claim met the quarantine after a restart, and 200 with the first grant after it', async () => {
    const backend = () => redis({ url: server.url, restartGuard: true, maxLeaseMs: 1_000 });
    const { app: running, ask } = await healthApp([{ name: 'a', waitMs: 5_000 }], { backend });
    const granted = bedrockOf(running)
      .lock('a')
      .run(() => 'ran');
    const { locks } = await untilStatus(ask, 503);
    expect(locks.backends['default']).toMatchObject({
      waiting: 1,
      error: 'redis is unavailable: QUARANTINED',
    });
    expect(await granted).toBe('ran');
    expect((await ask()).status).toBe(200);
  });

  it('says by its code that the password is wrong, and nothing of it', async () => {
    await observer.config('SET', 'requirepass', 'hidden');
    const url = `redis://:hidden@${server.host}:${server.port}`;
    const { ask } = await healthApp([], { backend: () => redis({ url }) });
    expect((await ask()).status).toBe(200);
    await observer.call('AUTH', 'hidden');
    await observer.config('SET', 'requirepass', 'changed');
    await observer.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    await eventually('the code is shown', async () => {
      const { text } = await untilStatus(ask, 503);
      expect(text).not.toMatch(/hidden|127\.0\.0\.1/);
      return /WRONGPASS|NOAUTH/.test(text);
    });
  });
});
