import type { Connection } from 'mysql2/promise';
import { setTimeout as sleep } from 'node:timers/promises';
import { MysqlFixture } from './fixture.js';
import { INSERT_LOCK_TABLE, InsertLock } from './insert-lock.js';

describe('the lock of the seed that is an inserted row', () => {
  const fixture = new MysqlFixture();
  const connections: Connection[] = [];

  beforeAll(async () => {
    await fixture.start();
    await fixture.rows(INSERT_LOCK_TABLE);
    await fixture.rows('CREATE TABLE counters (id INT PRIMARY KEY, amount INT NOT NULL) ENGINE = InnoDB');
  }, 180_000);
  afterEach(() => connections.splice(0).forEach((connection) => connection.destroy()));
  afterAll(() => fixture.stop());

  async function lockOf(owner: string): Promise<InsertLock> {
    const connection = await fixture.connection();
    connections.push(connection);
    return InsertLock.on(connection, owner);
  }

  it('counts entries, and its row goes with the last one', async () => {
    const [one, other] = [await lockOf('one'), await lockOf('other')];
    expect([await one.tryAcquire('re', 5_000), await one.tryAcquire('re', 5_000)]).toEqual([1, 2]);
    expect(await other.tryAcquire('re', 5_000)).toBe(0);
    expect([await other.release('re'), await one.release('re')]).toEqual([false, true]);
    expect(await other.tryAcquire('re', 5_000)).toBe(0);
    expect([await one.release('re'), await one.release('re')]).toEqual([true, false]);
    expect(await fixture.rows('SELECT * FROM insert_locks')).toEqual([]);
    expect(await other.tryAcquire('re', 5_000)).toBe(1);
  });

  it('ends by the clock of the database, and then belongs to one of the callers that ask', async () => {
    const [dead, ...others] = await Promise.all(Array.from({ length: 9 }, (_, i) => lockOf(`o${i}`)));
    await dead!.tryAcquire('end', 2_000);
    expect(await others[0]!.tryAcquire('end', 5_000)).toBe(0);
    await sleep(2_050);
    const entries = await Promise.all(others.map((lock) => lock.tryAcquire('end', 5_000)));
    expect(entries.filter((count) => count === 1)).toHaveLength(1);
    expect(await dead!.release('end')).toBe(false);
  });

  it('surfaces no deadlock to 64 connections, and loses no update', async () => {
    const keys = [0, 1, 2, 3];
    for (const key of keys) await fixture.rows('INSERT INTO counters VALUES (?, 0)', [key]);
    const cycles = 3;
    const work = async (at: number): Promise<void> => {
      const connection = await fixture.connection();
      connections.push(connection);
      const lock = await InsertLock.on(connection, `owner:${at}`);
      for (let i = 0; i < cycles; i += 1) {
        const key = (at + i) % keys.length;
        expect(await lock.acquire(`key:${key}`, 20_000, 40_000)).toBe(1);
        const [rows] = await connection.query('SELECT amount FROM counters WHERE id = ?', [key]);
        const { amount } = (rows as { amount: number }[])[0]!;
        await connection.query('UPDATE counters SET amount = ? WHERE id = ?', [amount + 1, key]);
        expect(await lock.release(`key:${key}`)).toBe(true);
      }
    };
    await Promise.all(Array.from({ length: 64 }, (_, at) => work(at)));
    const [row] = await fixture.rows('SELECT SUM(amount) AS amount FROM counters');
    expect(Number(row!['amount'])).toBe(64 * cycles);
    expect(await fixture.rows("SELECT * FROM insert_locks WHERE name LIKE 'key:%'")).toEqual([]);
  }, 60_000);
});
