import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startRedis, type RunningServer } from 'bedrock-servers';
import { eventually } from 'bedrock-testkit';
import { setTimeout as sleep } from 'node:timers/promises';
import { Buyers, type Attempt, type Visit } from './ecosphere.http-buyers.js';
import { Ledger, WITHIN_MS } from './ecosphere.http-ledger.js';
import { endShops, openShops, serve, type Shop } from './ecosphere.http-shop.js';

/** The lease of the counter, and what may come on top of it on a busy machine. */
const LEASE_MS = 2_000;
const RESERVE_MS = 3_000;

let server: RunningServer;
let ledger: Ledger;
beforeAll(async () => {
  server = await startRedis();
});
beforeEach(() => {
  ledger = new Ledger(server.url);
});
afterEach(async () => {
  server.resume();
  await endShops();
  await ledger.redis.flushall();
  await ledger.close();
});
afterAll(() => server?.stop());

/** Buyers who all wait at shut doors, then: the doors open. */
async function crowd(
  shops: readonly Shop[],
  size: number,
): Promise<{ buyers: Buyers; home: Promise<Visit[]> }> {
  const door = await ledger.shut();
  const buyers = new Buyers(shops.map(({ url }) => url));
  const home = buyers.come(size);
  const allWait = async (): Promise<boolean> => {
    // A look costs each shop a request: seldom enough that the looks do not delay the buyers.
    await sleep(200);
    const figures = await Promise.all(shops.map((shop) => shop.figures()));
    return figures.every(({ shop }) => shop.waiting === size / shops.length);
  };
  await eventually('all buyers wait', allWait, { withinMs: WITHIN_MS });
  expect(await door.release()).toBe('released');
  return { buyers, home };
}

/** What must hold however the sale went. */
async function expectExact(stock: number, buyers: Buyers, visits: readonly Visit[]): Promise<void> {
  const rows = await ledger.rows();
  const sold = Math.min(stock, visits.length);
  // Stock and rows are one: nothing was lost and nothing sold twice.
  expect({ rows: rows.length, left: await ledger.left() }).toEqual({ rows: sold, left: stock - sold });
  expect(rows.map(({ number }) => number)).toEqual(rows.map((_, i) => i + 1));
  expect(new Set(rows.map(({ requestId }) => requestId)).size).toBe(sold);
  // One at a time: the tokens grow, and no other buyer was between the look and the sale.
  expect(rows.filter(({ token }, i) => i > 0 && !(token > rows[i - 1]!.token))).toEqual([]);
  expect(rows.filter(({ seen, left }) => seen !== left + 1)).toEqual([]);
  // No buyer hangs, and none left without an answer.
  expect(buyers.open).toBe(0);
  buyers.assertAnswered();
  expect(buyers.attempts.filter(({ failure }) => failure === 'HUNG')).toEqual([]);
  expect(visits.filter(({ answer }) => answer === undefined)).toEqual([]);
  // Each reported sale has its row, and each row its report.
  const byRequest = new Map(rows.map((row) => [row.requestId, row]));
  const told = visits.flatMap(({ answer }) => (answer?.sold ? [answer.sale] : []));
  expect(told).toHaveLength(sold);
  expect(told.filter((sale) => byRequest.get(sale.requestId)?.token !== sale.token)).toEqual([]);
}

/** Requests that ended neither with one of these statuses nor as they may on a machine that is too busy for its leases. */
function oddOnes(attempts: readonly Attempt[], ...statuses: readonly number[]): readonly Attempt[] {
  const mayBe: readonly unknown[] = ['LOCK_LOST', 'LOCK_WAIT_TIMEOUT'];
  return attempts.filter(({ status, body }) => {
    return !statuses.includes(status ?? 0) && !mayBe.includes((body as { code?: string } | undefined)?.code);
  });
}

describe('the shop under real HTTP load, three processes on one Redis', () => {
  it('sells exactly its stock to 3,000 waiting buyers while one process is killed in the middle of a purchase', async () => {
    const stock = 2_000;
    const shops = await openShops(3, server.url, stock);
    const { buyers, home } = await crowd(shops, 3_000);
    await eventually('300 sales', () => buyers.sales.length >= 300, { withinMs: WITHIN_MS });

    const [victim] = shops as [Shop, Shop, Shop];
    const token = await ledger.stopInTurn(victim);
    const rowsBefore = (await ledger.rows()).length;
    const killedAt = performance.now();
    victim.signal('SIGKILL');
    expect(await victim.ended).toBe('SIGKILL');

    const visits = await home;
    await expectExact(stock, buyers, visits);
    // The killed turn has left nothing: neither a row nor a hole.
    const rows = await ledger.rows();
    expect(rows.map((row) => row.token)).not.toContain(token);
    // The others went on as soon as its lease was over.
    const next = buyers.attempts.find(({ status, body }) => {
      return status === 201 && (body as { sale: { number: number } }).sale.number === rowsBefore + 1;
    });
    expect(next!.endedAt - killedAt).toBeLessThan(LEASE_MS + RESERVE_MS);
    expect(rows[rowsBefore]!.soldBy).not.toBe(victim.pid);
    // Its open requests ended with errors of the connection; at the others, none did.
    const atVictim = buyers.attempts.filter(({ shop, failure }) => shop === 0 && failure !== undefined);
    expect(atVictim.length).toBeGreaterThan(300);
    const failures = new Set(atVictim.map(({ failure }) => failure));
    expect([...failures].filter((code) => code !== 'ECONNRESET' && code !== 'ECONNREFUSED')).toEqual([]);
    const others = buyers.attempts.filter((attempt) => !atVictim.includes(attempt));
    expect(oddOnes(others, 200, 201)).toEqual([]);
  }, 120_000);
});

describe('the shop and the faults of its surroundings', () => {
  it('closes in order: buyers at the counter are served, waiting ones are sent away with 503', async () => {
    const stock = 400;
    const shops = await openShops(2, server.url, stock);
    // All answers of the closing shop are sent in one turn: within the lease, on a busy machine too.
    const { buyers, home } = await crowd(shops, 500);
    await eventually('50 sales', () => buyers.sales.length >= 50, { withinMs: WITHIN_MS });

    const [closing] = shops as [Shop, Shop];
    const token = await ledger.stopInTurn(closing);
    closing.signal('SIGTERM');
    closing.signal('SIGCONT');
    expect(await closing.ended).toBe(0);

    await expectExact(stock, buyers, await home);
    expect((await ledger.rows()).map((row) => row.token)).toContain(token);
    const sentAway = buyers.attempts.filter(({ status }) => status === 503);
    expect(oddOnes(buyers.attempts, 200, 201, 503)).toEqual([]);
    expect(sentAway.length).toBeGreaterThan(50);
    for (const { shop, headers } of sentAway) {
      expect({ shop, connection: headers.connection }).toEqual({ shop: 0, connection: 'close' });
      expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(1);
    }
    expect(closing.stderr).toBe('');
    await endShops();
    await ledger.close();
    ledger = new Ledger(server.url);
    expect(await ledger.leftovers()).toEqual([]);
  }, 60_000);

  it('refuses the late write of a process that stood still for longer than its lease, and tells its buyer', async () => {
    const stock = 1_000;
    const shops = await openShops(2, server.url, stock);
    const { buyers, home } = await crowd(shops, 1_300);
    await eventually('50 sales', () => buyers.sales.length >= 50, { withinMs: WITHIN_MS });

    const [stalled] = shops as [Shop, Shop];
    const token = await ledger.stopInTurn(stalled);
    await eventually('the other shop went on', async () => (await ledger.rows()).at(-1)!.token > token, {
      withinMs: WITHIN_MS,
    });
    stalled.signal('SIGCONT');

    await expectExact(stock, buyers, await home);
    expect((await ledger.rows()).map((row) => row.token)).not.toContain(token);
    expect((await stalled.figures()).refused).toBeGreaterThan(0);
    const told = buyers.attempts.filter(({ shop, status }) => shop === 0 && status === 500);
    expect(told[0]).toMatchObject({ body: { code: 'LOCK_LOST' } });
    expect(oddOnes(buyers.attempts, 200, 201)).toEqual([]);
  }, 60_000);

  it('answers 503 when Redis stands still in the middle of a purchase, and sells the repeated order once', async () => {
    const stock = 1_000;
    const shops = await openShops(2, server.url, stock);
    const { buyers, home } = await crowd(shops, 1_300);
    await eventually('50 sales', () => buyers.sales.length >= 50, { withinMs: WITHIN_MS });

    const [unlucky] = shops as [Shop, Shop];
    const token = await ledger.stopInTurn(unlucky);
    server.pause();
    unlucky.signal('SIGCONT');
    // Its write is in flight; the server reads it when it resumes, and no caller waits for the answer any more.
    await eventually('it gives up', () => buyers.attempts.some(({ status }) => status === 503), {
      withinMs: WITHIN_MS,
    });
    server.resume();

    await expectExact(stock, buyers, await home);
    const [{ buyer, shop, headers }] = buyers.attempts.filter(({ status }) => status === 503) as [Attempt];
    expect(shop).toBe(0);
    expect(headers['retry-after']).toMatch(/^[12]$/);
    expect((await ledger.rows()).map((row) => row.token)).toContain(token);
    const last = buyers.attempts.findLast((attempt) => attempt.buyer === buyer);
    expect(last).toMatchObject({ status: 200, body: { sold: true, sale: { token } } });
    expect(oddOnes(buyers.attempts, 200, 201, 503)).toEqual([]);
  }, 60_000);
});

describe('the command line of the shop', () => {
  it('refuses a wrong option with one line, a hint and exit code 2', async () => {
    const { code, stderr } = await serve(['--prot', '80']);
    expect(stderr).toBe('error: unknown option --prot\nhint: did you mean --port?\n');
    expect(code).toBe(2);
  });

  it('refuses a wrong PORT', async () => {
    const { code, stderr } = await serve([], { PORT: 'http' });
    expect(stderr).toMatch(/^error: PORT must be .+\nhint: .+\n$/);
    expect(code).toBe(2);
  });

  it.each(['nonsense', 'http://x'])('refuses REDIS_URL=%s', async (REDIS_URL) => {
    const { code, stderr } = await serve([], { REDIS_URL });
    expect(stderr).toMatch(/^error: REDIS_URL must be a Redis URL\nhint: .+--redis.+\n$/);
    expect(code).toBe(2);
  });

  it('says which Redis does not answer, and ends with exit code 3', async () => {
    const { code, stderr } = await serve(['--redis', 'redis://:secret@127.0.0.1:1']);
    expect(stderr).toMatch(/^error: .*Redis at 127\.0\.0\.1:1 does not answer: .+\n$/);
    expect(stderr).not.toContain('secret');
    expect(code).toBe(3);
  });

  it('says that the port is taken, ends with exit code 3, and stops the server that it had started', async () => {
    const [shop] = await openShops(1, server.url, 1);
    const { code, stderr, isAllEnded } = await serve(['--port', new URL(shop!.url).port]);
    expect(stderr).toMatch(/^error: .*EADDRINUSE.+\n$/);
    expect(code).toBe(3);
    expect(isAllEnded).toBe(true);
  });
});
