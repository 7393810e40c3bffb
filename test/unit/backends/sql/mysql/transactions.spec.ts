import { mysqlTransactionLocks, type MysqlTransactionLocks } from 'bedrock-lock/mysql';
import { liveness } from 'bedrock-testkit';
import { createPool, type Connection } from 'mysql2/promise';
import { setTimeout as sleep } from 'node:timers/promises';
import { MysqlFixture } from './fixture.js';

describe('locks of transactions', () => {
  const fixture = new MysqlFixture();
  const connections: Connection[] = [];
  let locks: MysqlTransactionLocks;
  let names = 0;
  const fresh = (): string => `turn:${++names}`;

  beforeAll(async () => {
    await fixture.start();
    locks = mysqlTransactionLocks(fixture.server.url);
    await locks.ensureSchema();
    await fixture.rows('CREATE TABLE tills (id INT PRIMARY KEY, amount INT NOT NULL) ENGINE = InnoDB');
  }, 180_000);
  afterEach(() => connections.splice(0).forEach((connection) => connection.destroy()));
  afterAll(async () => {
    locks.close();
    await fixture.stop();
  });

  async function connection(): Promise<Connection> {
    const one = await fixture.connection();
    one.on('error', () => undefined);
    connections.push(one);
    return one;
  }

  async function transaction(): Promise<Connection> {
    const one = await connection();
    await one.beginTransaction();
    return one;
  }

  it('keep others out until the transaction ends, by commit, rollback or a lost connection', async () => {
    const resource = fresh();
    for (const end of ['commit', 'rollback', 'destroy'] as const) {
      const [one, other] = [await transaction(), await transaction()];
      await locks.lock(one, resource);
      await locks.lock(one, resource);
      await expect(locks.lock(other, resource, { waitMs: 0 })).rejects.toMatchObject({
        code: 'LOCK_BUSY',
        resource,
      });
      const next = locks.lock(other, resource, { waitMs: 5_000 });
      await sleep(50);
      await one[end]();
      await next;
      await other.commit();
    }
  });

  it('wait no longer than they may, and leave the session and its transaction as they were', async () => {
    const resource = fresh();
    const [one, other] = [await transaction(), await transaction()];
    await locks.lock(one, resource);
    await other.query('INSERT INTO tills VALUES (1, 5)');
    const start = performance.now();
    // InnoDB waits for whole seconds.
    await liveness.within('a wait of a second', 2_000, () =>
      expect(locks.lock(other, resource, { waitMs: 700 })).rejects.toMatchObject({
        ...{ code: 'LOCK_WAIT_TIMEOUT', resource },
      }),
    );
    expect(performance.now() - start).toBeGreaterThan(900);
    const [rows] = await other.query({ sql: 'SELECT @@innodb_lock_wait_timeout', rowsAsArray: true });
    expect(rows).toEqual([[50]]);
    await other.commit();
    expect(await fixture.rows('SELECT amount FROM tills WHERE id = 1')).toEqual([{ amount: 5 }]);
  });

  it('lose no update, over 16 connections that read, think and write', async () => {
    const resource = fresh();
    await fixture.rows('INSERT INTO tills VALUES (2, 0)');
    const work = async (): Promise<void> => {
      const own = await connection();
      for (let i = 0; i < 5; i += 1) {
        await own.beginTransaction();
        await locks.lock(own, resource);
        const [[row]] = await own.query<[{ amount: number } & import('mysql2').RowDataPacket]>(
          'SELECT amount FROM tills WHERE id = 2',
        );
        await own.query('UPDATE tills SET amount = ? WHERE id = 2', [row.amount + 1]);
        await own.commit();
      }
    };
    await Promise.all(Array.from({ length: 16 }, work));
    expect(await fixture.rows('SELECT amount FROM tills WHERE id = 2')).toEqual([{ amount: 80 }]);
  });

  it('never deadlock on a row that is new, and lock no gap beside it', async () => {
    for (let round = 0; round < 5; round += 1) {
      const resource = fresh();
      await Promise.all(
        Array.from({ length: 16 }, async () => {
          const own = await transaction();
          await locks.lock(own, resource);
          await own.commit();
        }),
      );
    }
    // Beside a row locked in REPEATABLE READ, others are made at once.
    const own = await transaction();
    await locks.lock(own, 'gap:b');
    const other = await transaction();
    await locks.lock(other, ['gap:a', 'gap:c'], { waitMs: 0 });
  });

  it('take several in one order, whatever order they are named in', async () => {
    const [a, b] = [fresh(), fresh()];
    const work = async (order: readonly string[]): Promise<void> => {
      const own = await connection();
      for (let i = 0; i < 10; i += 1) {
        await own.beginTransaction();
        await locks.lock(own, order);
        await own.commit();
      }
    };
    await Promise.all([work([a, b]), work([b, a]), work([a, b, a])]);
  });

  it('say that all has to be repeated when the server ends a deadlock', async () => {
    const [a, b] = [fresh(), fresh()];
    const [one, other] = [await transaction(), await transaction()];
    await locks.lock(one, a);
    await locks.lock(other, b);
    const outcomes = await Promise.allSettled([locks.lock(one, b), locks.lock(other, a)]);
    const failed = outcomes.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[];
    expect(failed).toHaveLength(1);
    expect(failed[0]!.reason).toMatchObject({ code: 'BACKEND_UNAVAILABLE', executed: 'no' });
    expect(String(failed[0]!.reason)).toMatch(/repeat all of it/);
  });

  it('are refused where they would end at once: no transaction, or a pool', async () => {
    const own = await connection();
    await expect(locks.lock(own, fresh())).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      field: 'transaction',
    });
    const pool = createPool({ uri: fixture.server.url });
    await expect(locks.lock(pool, fresh())).rejects.toMatchObject({ field: 'transaction' });
    await pool.end();
    await own.query('SET autocommit = 0');
    await locks.lock(own, fresh());
  });

  it('refuse bad input, and send nothing', async () => {
    const own = await transaction();
    const given = [
      [own, '', undefined, 'resource'],
      [own, [], undefined, 'resources'],
      [own, ['a', 5], undefined, 'resources[1]'],
      [own, 'a', { waitMs: -1 }, 'waitMs'],
      [own, 'a', { waitMs: Number.NaN }, 'waitMs'],
      [own, 'a', { wait: 1 }, 'options.wait'],
      [null, 'a', undefined, 'transaction'],
      [{}, 'a', undefined, 'transaction'],
    ] as const;
    for (const [on, resource, options, field] of given)
      await expect(locks.lock(on as never, resource as never, options as never)).rejects.toMatchObject({
        field,
      });
  });

  it('take names as bytes, whatever they contain', async () => {
    for (const resource of [`it's "x" \\`, 'Ä', 'ä', 'a ', 'a', '?', ':x', '漢'.repeat(512)]) {
      const own = await transaction();
      await locks.lock(own, resource, { waitMs: 0 });
    }
  });

  it('say so when a row was removed by hand, and make it again', async () => {
    const resource = fresh();
    const own = await transaction();
    await locks.lock(own, resource);
    await own.commit();
    await fixture.rows('DELETE FROM bedrock_turns');
    await own.beginTransaction();
    await expect(locks.lock(own, resource)).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE', resource });
    await own.rollback();
    await own.beginTransaction();
    await locks.lock(own, resource);
  });
});
