import { Bedrock, type Backend } from 'bedrock-lock';
import { claimOf, ExclusionChecker } from 'bedrock-testkit';
import { setTimeout as sleep } from 'node:timers/promises';
import { MysqlFixture } from './fixture.js';

const NOW = { keepMs: 0, leaveQueue: true } as const;
const BACKENDS = 4;
const CONNECTIONS = 16;

describe('64 connections at once', () => {
  const fixture = new MysqlFixture();
  beforeAll(() => fixture.start(), 180_000);
  afterEach(() => fixture.clean());
  afterAll(() => fixture.stop());

  /** Rows that are made and removed all the time: this deadlocks where rows are inserted and deleted by hand. */
  const crowd = (): Promise<Backend[]> =>
    Promise.all(
      Array.from({ length: BACKENDS }, () =>
        fixture.backend({ connections: CONNECTIONS, keepRowsMs: 20, operationTimeoutMs: 30_000 }),
      ),
    );

  const status = async (name: string): Promise<number> => {
    const [row] = await fixture.rows(`SHOW GLOBAL STATUS LIKE '${name}'`);
    return Number(row!['Value']);
  };

  it('surface no deadlock, whatever verbs meet on a few rows, and grant to one at a time', async () => {
    const backends = await crowd();
    const resources = ['a', 'b', 'c', 'd', 'e'].map((name) => `storm:${name}`);
    const witnesses = new Map(resources.map((resource) => [resource, new ExclusionChecker(1, resource)]));
    const work = async (backend: Backend, at: number): Promise<void> => {
      for (let i = 0; i < 12; i += 1) {
        const resource = resources[(at + i) % resources.length]!;
        const claim = claimOf(backend, resource, {
          queue: i % 3 === 0,
          tokens: 1,
          notAfter: performance.now() + 30_000,
        });
        const verdict = await backend.leases.claim(claim);
        if (verdict.kind === 'granted') {
          const leave = witnesses.get(resource)!.enter(undefined, verdict.token);
          // In another order than the others.
          const many = [...resources]
            .sort(() => (at % 2) - 0.5)
            .map((name) => ({ ...claim, resource: name, keepMs: 0 }));
          const outcomes = await backend.leases.renew(many);
          expect(outcomes).not.toContain('unknown');
          leave();
        }
        await backend.leases.withdraw(claim, NOW);
      }
    };
    await Promise.all(
      backends.flatMap((backend, b) => Array.from({ length: CONNECTIONS }, (_, i) => work(backend, b + i))),
    );
    const grants = [...witnesses.values()].map((checker) => checker.assertExclusion().leases);
    expect(grants.reduce((sum, count) => sum + count)).toBeGreaterThan(resources.length);
  }, 60_000);

  /** Transactions that lock these rows, the last first, until the end; the server may end them. */
  async function lockBackwards(resources: readonly string[], end: number): Promise<void> {
    const user = await fixture.connection();
    while (performance.now() < end) {
      await user.query('BEGIN');
      // Of two in a deadlock the server ends the one that has changed less: that is to be the backend.
      await user.query('INSERT INTO weights SELECT seq FROM seq_1_to_100');
      for (const resource of [...resources].reverse()) {
        const locked = user.query('SELECT 1 FROM bedrock_locks WHERE resource = ? FOR UPDATE', [resource]);
        if (!(await locked.then(() => true, () => false))) break; // prettier-ignore
        await sleep(1);
      }
      await user.query('ROLLBACK');
      await sleep(5);
    }
    user.destroy();
  }

  it('surface no deadlock with transactions of users that lock the same rows in another order', async () => {
    const backends = await crowd();
    const all = await Promise.all(
      backends.map(async (backend, b) => {
        const held = Array.from({ length: 6 }, (_, i) => claimOf(backend, `users:${b}:${i}`));
        for (const claim of held) expect((await backend.leases.claim(claim)).kind).toBe('granted');
        return { backend, held };
      }),
    );
    await fixture.rows('CREATE TABLE weights (value INT) ENGINE = InnoDB');
    const before = await status('Innodb_deadlocks');
    const end = performance.now() + 2_000;
    const users = all.map(({ held }) => lockBackwards(held.map(({ resource }) => resource), end)); // prettier-ignore
    const outcomes = new Set<string>();
    const renewing = all.map(async ({ backend, held }) => {
      const refs = held.map((claim) => ({ ...claim, keepMs: 0 }));
      while (performance.now() < end)
        for (const outcome of await backend.leases.renew(refs)) outcomes.add(outcome);
    });
    await Promise.all([...users, ...renewing]);
    expect(await status('Innodb_deadlocks')).toBeGreaterThan(before);
    expect([...outcomes]).toEqual(['renewed']);
    for (const { backend, held } of all)
      for (const claim of held) expect(await backend.leases.withdraw(claim, NOW)).toBe('released');
  }, 60_000);

  it('serve many locks that are used once each', async () => {
    const backends = await crowd();
    const tasks = backends.flatMap((backend, b) =>
      Array.from({ length: 100 }, async (_, i) => {
        const claim = claimOf(backend, `once:${i}:${b % 2}`, {
          queue: false,
          notAfter: performance.now() + 30_000,
        });
        const { kind } = await backend.leases.claim(claim);
        if (kind === 'granted') await backend.leases.withdraw(claim, NOW);
        return kind;
      }),
    );
    const kinds = await Promise.all(tasks);
    expect(await status('Threads_connected')).toBeGreaterThan(32);
    expect(kinds.filter((kind) => kind === 'granted').length).toBeGreaterThanOrEqual(200);
  }, 60_000);

  it('of the pool are waited for, and a caller that gets none in time hears so', async () => {
    const bedrock = new Bedrock({
      backend: await fixture.backend({ connections: 1, operationTimeoutMs: 3_000 }),
    });
    const locks = Array.from({ length: 40 }, (_, i) => bedrock.mutex(`pool:${i}`));
    await Promise.all(locks.map((lock) => lock.run(() => undefined)));
    expect(bedrock.stats().pendingWithdrawals).toBe(0);
    await bedrock.close();
    const narrow = await fixture.backend({ connections: 1, operationTimeoutMs: 300 });
    const blocker = await fixture.connection();
    await blocker.query('LOCK TABLES bedrock_locks WRITE, bedrock_processes WRITE');
    const asked = Array.from({ length: 5 }, (_, i) => narrow.leases.claim(claimOf(narrow, `full:${i}`)));
    const outcomes = await Promise.allSettled(asked);
    blocker.destroy();
    const reasons = outcomes.map(
      (outcome) => (outcome as PromiseRejectedResult).reason as { executed: string },
    );
    expect(reasons.map(({ executed }) => executed === 'no' || executed === 'unknown')).toEqual(
      Array(5).fill(true),
    );
    expect(reasons.some(({ executed }) => executed === 'no')).toBe(true);
  });
});
