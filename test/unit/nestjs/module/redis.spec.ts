import { jest } from '@jest/globals';
import { Injectable, Logger } from '@nestjs/common';
import { freePort, type RunningServer, startRedis } from 'bedrock-servers';
import { redis } from 'bedrock-lock/redis';
import { currentLease, DistributedLock } from 'nestjs-bedrock';
import { Redis } from 'ioredis';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { bedrockOf, closeAll, locksOf, start, until } from '../app.js';

const run = promisify(execFile);
const CLOSING_APP = fileURLToPath(new URL('closing-app.mjs', import.meta.url));
const WARNING_APP = fileURLToPath(new URL('warning-app.mjs', import.meta.url));
const SIGNALLED_APP = fileURLToPath(new URL('signalled-app.mjs', import.meta.url));

jest.setTimeout(180_000);

let server: RunningServer;
let observer: Redis;
beforeAll(async () => {
  server = await startRedis();
  observer = new Redis(server.url);
});
afterEach(closeAll);
afterAll(async () => {
  observer.disconnect();
  await server.stop();
});

@Injectable()
class Till {
  static cash = 0;
  static readonly tokens: number[] = [];

  @DistributedLock({ lock: 'till', key: '{0}' })
  async pay(_till: number): Promise<void> {
    const before = Till.cash;
    Till.tokens.push(currentLease()!.token);
    await new Promise((resolve) => setImmediate(resolve));
    Till.cash = before + 1;
  }
}

describe('applications on one Redis', () => {
  it('share their locks: no payment is lost, and the tokens grow', async () => {
    const backend = () => redis({ url: server.url });
    const apps = await Promise.all(
      [1, 2, 3].map(() => start({ imports: [locksOf(['till'], { backend })], providers: [Till] })),
    );
    const payments = apps.flatMap((app) => Array.from({ length: 50 }, () => app.get(Till).pay(1)));
    await Promise.all(payments);
    expect(Till.cash).toBe(150);
    expect(Till.tokens).toEqual([...new Set(Till.tokens)].sort((one, other) => one - other));
    expect(bedrockOf(apps[0]!).bedrock().stats().holds).toBe(0);
  });

  it('do not start when the server does not answer', async () => {
    const backend = () => redis({ url: 'redis://127.0.0.1:1', operationTimeoutMs: 100 });
    await expect(start({ imports: [locksOf(['till'], { backend })] })).rejects.toMatchObject({
      code: 'BACKEND_UNAVAILABLE',
    });
  });

  it('start all the same with startDegraded, and find the server when it is there', async () => {
    const port = await freePort();
    const logged = jest.spyOn(Logger.prototype, 'log').mockImplementation(() => undefined);
    const warned = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    const backend = () => redis({ url: `redis://127.0.0.1:${port}`, operationTimeoutMs: 1_000 });
    const options = { backend, startDegraded: true, defaults: { failFast: true } };
    const app = await start({ imports: [locksOf(['till'], options)], providers: [Till] });
    expect(warned.mock.calls).toEqual([
      [expect.stringMatching(new RegExp(`^backend "default": .*127\\.0\\.0\\.1:${port}.* fail with 503`))],
    ]);
    await expect(app.get(Till).pay(1)).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE' });
    const late = await startRedis({ port });
    try {
      await until(() =>
        logged.mock.calls.some(([line]) => line === 'backend "default" (redis) is available now'),
      );
      await app.get(Till).pay(1);
      await app.close();
    } finally {
      await late.stop();
      jest.restoreAllMocks();
    }
  });

  it.each([
    ['warn once, whatever the number of backends, when nothing listens to SIGTERM', 'nothing', 1],
    ['do not warn where shutdown hooks are enabled after the first lock', 'hooks', 0],
    ['do not warn where that is turned off', 'quiet', 0],
  ])('%s', async (_what, how, warnings) => {
    const { JEST_WORKER_ID: _worker, NODE_ENV: _env, ...env } = process.env;
    const { stdout } = await run(process.execPath, [WARNING_APP, server.url, how], { env, timeout: 30_000 });
    expect(stdout.match(/no listener handles SIGTERM/g) ?? []).toHaveLength(warnings);
  });

  it.each([
    ['node:test', { NODE_TEST_CONTEXT: 'child-v8' }, ''],
    ['Mocha', {}, 'globalThis.describe = globalThis.it = () => {}'],
  ])('do not warn in tests of %s', async (_runner, variables, globals) => {
    const { JEST_WORKER_ID: _worker, NODE_ENV: _env, ...env } = process.env;
    const args = [`--import=data:text/javascript,${globals}`, WARNING_APP, server.url, 'nothing'];
    const { stdout } = await run(process.execPath, args, { env: { ...env, ...variables }, timeout: 30_000 });
    expect(stdout).toBe('');
  });

  it('end by themselves after app.close(): no handle stays open', async () => {
    const { stdout } = await run(process.execPath, [CLOSING_APP, server.url], { timeout: 20_000 });
    expect(stdout).toBe('ran under closing\nclosed\n');
  });

  it.each([
    ['a holder that finishes in time keeps the lock', 10_000, 200, 'holder held: true'],
    ['a holder that does not loses it', 50, 400, 'holder: LOCK_LOST closed'],
  ])(
    'end by a signal: %s, the waiter is rejected, and no key is left',
    async (_what, graceMs, workMs, end) => {
      const child = spawn(process.execPath, [SIGNALLED_APP, server.url, String(graceMs), String(workMs)], {
        timeout: 30_000,
        killSignal: 'SIGKILL',
      });
      const lines: string[] = [];
      createInterface(child.stdout).on('line', (line) => lines.push(line));
      await until(() => lines.includes('holding') && lines.includes('waiting'));
      expect(await observer.exists('work')).toBe(1);
      child.kill('SIGTERM');
      const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
      // Nest sends itself the signal once more when everything is closed.
      expect({ code, signal }).toEqual({ code: null, signal: 'SIGTERM' });
      expect(lines).toEqual(expect.arrayContaining(['waiter: LOCK_CLOSED', end]));
      // Not a lock: the one counter that all tokens come from.
      expect(await observer.keys('*')).toEqual(['bedrock_token']);
    },
  );
});

const LEADER_APP = fileURLToPath(new URL('leader-app.mjs', import.meta.url));

class Candidate {
  readonly lines: string[] = [];
  readonly #news = new EventEmitter();
  readonly #child: ChildProcess;

  constructor(url: string) {
    this.#child = spawn(process.execPath, [LEADER_APP, url], { stdio: ['ignore', 'pipe', 'inherit'] });
    createInterface(this.#child.stdout!).on('line', (line) => {
      this.lines.push(line);
      this.#news.emit('line');
    });
  }

  async said(text: string): Promise<string> {
    for (;;) {
      const line = this.lines.find((one) => one.startsWith(text));
      if (line !== undefined) return line;
      await once(this.#news, 'line');
    }
  }

  /** The token of its term. */
  async elected(): Promise<number> {
    return Number((await this.said('elected')).split(' ')[1]);
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const closed = once(this.#child, 'close');
    this.#child.kill(signal);
    await closed;
  }
}

describe('@OnLeader() in several processes on one Redis', () => {
  const candidates: Candidate[] = [];
  afterAll(async () => {
    for (const candidate of candidates) await candidate.end('SIGKILL');
  });

  async function candidate(): Promise<Candidate> {
    const one = new Candidate(server.url);
    candidates.push(one);
    await one.said('standing');
    return one;
  }

  it('is taken over when the leader closes, and when it is killed', async () => {
    const first = await candidate();
    const token = await first.elected();
    const second = await candidate();
    expect(second.lines).toEqual(['standing']);
    await first.end('SIGTERM');
    expect(first.lines.at(-1)).toBe('ended');
    const next = await second.elected();
    expect(next).toBeGreaterThan(token);
    const third = await candidate();
    const killedAt = performance.now();
    await second.end('SIGKILL');
    expect(second.lines).not.toContain('ended');
    expect(await third.elected()).toBeGreaterThan(next);
    // Its lease had to end: 1 s at most since the last renewal.
    expect(performance.now() - killedAt).toBeGreaterThan(300);
  });
});
