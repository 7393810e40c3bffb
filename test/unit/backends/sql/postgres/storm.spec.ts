import { setTimeout as sleep } from 'node:timers/promises';
import type { Backend } from 'bedrock-lock';
import type { Claim } from 'bedrock-lock/backend';
import { eventually, FREE, granted } from 'bedrock-testkit';
import { CLAIMS, renewAmongClaims, RENEWED } from '../renewal-among-claims.js';
import { PostgresFixture } from './fixture.js';

const BACKENDS = 4;
const ROWS_OF_EACH = 6;
const STORM_MS = 2_000;

const fixture = new PostgresFixture();

beforeAll(async () => {
  await fixture.start();
  // A side that waits for so long looks once whether it is in a deadlock, and ends itself: by turns the backend and the users.
  await fixture.observer.query("ALTER ROLE postgres SET deadlock_timeout = '10ms'");
});
afterEach(() => fixture.clean());
afterAll(() => fixture.stop());

async function deadLocks(): Promise<number> {
  const { rows } = await fixture.observer.query<{ deadlocks: string }>(
    'SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()',
  );
  return Number(rows[0]!.deadlocks);
}

/** Transactions that lock these rows, the last first, until the end; the server may end them. */
async function lockBackwards(resources: readonly string[], end: number): Promise<void> {
  const user = await fixture.observer.connect();
  while (performance.now() < end) {
    await user.query('BEGIN');
    for (const resource of [...resources].reverse()) {
      const text = 'SELECT 1 FROM bedrock_locks WHERE resource = $1 FOR UPDATE';
      if (!(await user.query(text, [resource]).then(() => true, () => false))) break; // prettier-ignore
      await sleep(1);
    }
    await user.query('ROLLBACK');
    await sleep(5);
  }
  user.release(true);
}

async function renewUntil(end: number, backend: Backend, held: readonly Claim[]): Promise<Set<string>> {
  const outcomes = new Set<string>();
  while (performance.now() < end) {
    const renewed = await backend.leases.renew(held.map((claim) => ({ ...claim, keepMs: 0 })));
    for (const outcome of renewed) outcomes.add(outcome);
  }
  return outcomes;
}

it('deadlocks with transactions that lock the same rows in another order surface from no renewal, and cost no lease', async () => {
  const backends = await Promise.all(
    Array.from({ length: BACKENDS }, () => fixture.backend({ connections: 16, operationTimeoutMs: 10_000 })),
  );
  const all = await Promise.all(
    backends.map(async (backend, b) => {
      const names = Array.from({ length: ROWS_OF_EACH }, (_, i) => `storm:${b}:${i}`);
      const held = await Promise.all(names.map((name) => granted(backend, name, { leaseMs: 20_000 })));
      return { backend, names, held };
    }),
  );
  const before = await deadLocks();
  const end = performance.now() + STORM_MS;
  const users = all.slice(0, 3).map(({ names }) => lockBackwards(names, end));
  const outcomes = await Promise.all(all.map(({ backend, held }) => renewUntil(end, backend, held)));
  await Promise.all(users);
  expect(outcomes.map((seen) => [...seen])).toEqual(Array(BACKENDS).fill(['renewed']));
  const released = all.flatMap(({ backend, held }) =>
    held.map((claim) => backend.leases.withdraw(claim, FREE)),
  );
  expect(new Set(await Promise.all(released))).toEqual(new Set(['released']));
  // They are counted some time after they were.
  await eventually('there was a deadlock', async () => (await deadLocks()) !== before);
}, 60_000);

it.each(RENEWED)('a renewal goes before claims that wait for a connection: %s', async (_what, take) => {
  const backend = await fixture.backend({ connections: 1, operationTimeoutMs: 30_000 });
  const { isRenewed, answeredBefore } = await renewAmongClaims(backend, take);
  expect(isRenewed).toBe(true);
  expect(answeredBefore).toBeLessThan(CLAIMS / 2);
});
