import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startRedis, type RunningServer } from 'bedrock-servers';
import { eventually } from 'bedrock-testkit';
import { Redis } from 'ioredis';
import { once } from 'node:events';
import { ecosphere, LONG_TIMEOUT, SALE_LEASE, startEcosphere, type Outcome } from './ecosphere-command.js';

const ON_REDIS = ['--backend', 'redis', ...SALE_LEASE, ...LONG_TIMEOUT];

/** The figures of the last line, which has one form. */
function verdictOf({ lastLine }: Outcome): {
  sold: number;
  stock: number;
  oversold: number;
  overlaps: number;
} {
  const form = /^flash sale: sold (\d+) of (\d+), oversold (-?\d+), overlaps (\d+)$/;
  const [, sold, stock, oversold, overlaps] = form.exec(lastLine) ?? [];
  return {
    sold: Number(sold),
    stock: Number(stock),
    oversold: Number(oversold),
    overlaps: Number(overlaps),
  };
}

/** A figure of the report by its name, without its unit. */
function figure({ stdout }: Outcome, name: string): number {
  const [, text] = new RegExp(`^ +${name} +([\\d,.]+)`, 'm').exec(stdout) ?? [];
  return Number(text?.replaceAll(',', ''));
}

describe('the flash sale in memory', () => {
  /** The run without any option. */
  let outcome: Outcome;
  beforeAll(async () => {
    outcome = await ecosphere([]);
  }, 20_000);

  it('sells 10,000 items to 3,000 buyers, each once, and says so on the last line', () => {
    expect(outcome.lastLine).toBe('flash sale: sold 10000 of 10000, oversold 0, overlaps 0');
    expect(outcome.code).toBe(0);
    expect(outcome.stderr).toBe('');
  });

  it('serves buyers in turn: none buys more than once more than another', () => {
    expect(outcome.stdout).toMatch(/per buyer\s+min 3 {3}max 4/);
  });

  it('sells 1,000 items to 3,000 buyers', async () => {
    const other = await ecosphere(['--purchases', '1000']);
    expect(other.lastLine).toBe('flash sale: sold 1000 of 1000, oversold 0, overlaps 0');
    expect(other.stdout).toMatch(/per buyer\s+min 0 {3}max 1/);
    expect(other.code).toBe(0);
  });

  it('turns buyers away when the stock is out', async () => {
    const other = await ecosphere(['--purchases', '1000', '--stock', '900', '--buyers', '200']);
    expect(other.lastLine).toBe('flash sale: sold 900 of 900, oversold 0, overlaps 0');
    expect(other.stdout).toMatch(/turned away 100$/m);
    expect(other.code).toBe(0);
  });

  it('oversells without the lock, and ends with exit code 1', async () => {
    const other = await ecosphere(['--no-lock']);
    const { sold, oversold, overlaps } = verdictOf(other);
    expect(sold).toBe(10_000);
    expect(oversold).toBeGreaterThan(0);
    expect(overlaps).toBeGreaterThan(0);
    expect(other.stdout).toContain('✘ oversold');
    expect(other.code).toBe(1);
  });

  it('writes plain lines without colour where there is no terminal', async () => {
    const { stdout, lines } = await ecosphere(['--purchases', '400', '--buyers', '50']);
    expect(stdout).not.toContain('\u001b');
    expect(stdout).not.toContain('\r');
    expect(lines.filter((line) => / of 400 purchases/.test(line))).toHaveLength(4);
  });
});

describe('the flash sale on Redis', () => {
  let server: RunningServer;
  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(() => server?.stop());

  it('sells each of 10,000 items once over four processes, in turn, with few commands', async () => {
    // Each buyer waits for all others, at most 30 s: of 3,000 a busy machine turns some away.
    const sale = ['--processes', '4', '--buyers', '1000'];
    const outcome = await ecosphere([...ON_REDIS, ...sale, '--url', server.url]);
    expect(outcome.lastLine).toBe('flash sale: sold 10000 of 10000, oversold 0, overlaps 0');
    expect(outcome.code).toBe(0);
    for (const shop of [1, 2, 3, 4]) expect(outcome.stdout).toMatch(new RegExp(`shop ${shop} +2,500`));
    expect(Number(/processes (\d\.\d+) of 1\.00/.exec(outcome.stdout)?.[1])).toBeGreaterThan(0.8);
    // A process keeps the lock for a quantum of 10 ms, which rounding may cut to 9, however few of its buyers that
    // serves on a busy machine. The last buyers of a process end it sooner: 100 grants more are theirs.
    const grants = 10_000 - figure(outcome, 'hand-overs');
    expect(grants).toBeLessThan((figure(outcome, 'duration') * 1_000) / 9 + 100);
    // One to join the queue, one to take the lock, one to give it back, and the sweep.
    expect(figure(outcome, 'lock commands')).toBeLessThan(4 * grants);
  }, 120_000);

  it('oversells across processes without the lock', async () => {
    const args = [...ON_REDIS, '--processes', '2', '--purchases', '2000', '--no-lock'];
    const outcome = await ecosphere([...args, '--url', server.url]);
    const { oversold, overlaps } = verdictOf(outcome);
    expect(oversold).toBeGreaterThan(0);
    expect(overlaps).toBeGreaterThan(0);
    expect(outcome.code).toBe(1);
  }, 30_000);

  it('uses the server of REDIS_URL, and leaves nothing of its own there', async () => {
    const args = [...ON_REDIS, '--purchases', '300', '--buyers', '50'];
    const outcome = await ecosphere(args, { REDIS_URL: server.url });
    expect(outcome.stdout).toContain('the Redis of REDIS_URL');
    expect(outcome.code).toBe(0);
    const client = new Redis(server.url);
    expect(await client.keys('*ecosphere*')).toEqual([]);
    client.disconnect();
  });

  it('starts a server of its own where there is none, and ends it together with all processes', async () => {
    const args = [...ON_REDIS, '--processes', '2', '--purchases', '8000'];
    const child = startEcosphere(args);
    const closed = once(child, 'close');
    let stdout = '';
    for await (const chunk of child.stdout!) {
      stdout += String(chunk);
      if (/ of 8,000 purchases/.test(stdout)) break;
    }
    expect(stdout).toContain('on a redis-server of this run');
    expect(isGroupAlive(child.pid!)).toBe(true);
    child.kill('SIGINT');
    await closed;
    await eventually('all processes have ended', () => !isGroupAlive(child.pid!));
  }, 30_000);
});

function isGroupAlive(leader: number): boolean {
  try {
    return process.kill(-leader, 0);
  } catch {
    return false;
  }
}
