import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Bedrock, type Lease, type Mutex } from 'bedrock-lock';
import { redis } from 'bedrock-lock/redis';
import { startMariadb, startPostgres, startRedis, type RunningServer } from 'bedrock-servers';
import { Kysely, MysqlDialect, PostgresDialect, type Dialect, type Transaction } from 'kysely';
import { createPool } from 'mysql2';
import pg from 'pg';
import { setTimeout as sleep } from 'node:timers/promises';

interface Shop {
  stock: { item: string; amount: number };
}

const BUYERS = 12;
const START = 100;
/** From the end of the method that holds the lock to the commit. */
const COMMIT_DELAY_MS = 15;

const databases: readonly [string, () => Promise<RunningServer>, (url: string) => Dialect][] = [
  ['PostgreSQL', () => startPostgres({ shared: true }), (url) => new PostgresDialect({ pool: poolOf(url) })],
  ['MariaDB', () => startMariadb({ shared: true }), (url) => new MysqlDialect({ pool: createPool(url) })],
];

function poolOf(url: string): pg.Pool {
  const pool = new pg.Pool({ connectionString: url });
  // The server ends connections that have not said goodbye when it stops.
  pool.on('error', () => undefined);
  return pool;
}

/** A method that locks, and knows nothing of the transaction that it is called in. */
async function take(lock: Mutex, tx: Transaction<Shop>, begin: (lease: Lease) => void): Promise<void> {
  await lock.run(async (lease) => {
    begin(lease);
    const { amount } = await tx.selectFrom('stock').selectAll().executeTakeFirstOrThrow();
    await tx
      .updateTable('stock')
      .set({ amount: amount - 1 })
      .execute();
  });
}

describe.each(databases)('a lock round a transaction of %s', (_name, start, dialectOf) => {
  let servers: RunningServer[];
  let shop: Kysely<Shop>;
  let bedrock: Bedrock;

  beforeAll(async () => {
    servers = await Promise.all([start(), startRedis({ shared: true })]);
    shop = new Kysely<Shop>({ dialect: dialectOf(servers[0]!.url) });
    bedrock = new Bedrock({ backend: redis(servers[1]!.url), defaults: { waitMs: 20_000 } });
    await bedrock.ready();
  }, 120_000);
  beforeEach(async () => {
    await shop.schema.dropTable('stock').ifExists().execute();
    await shop.schema
      .createTable('stock')
      .addColumn('item', 'varchar(20)', (column) => column.primaryKey())
      .addColumn('amount', 'integer')
      .execute();
    await shop.insertInto('stock').values({ item: 'phone', amount: START }).execute();
  });
  afterAll(async () => {
    await shop?.schema.dropTable('stock').ifExists().execute();
    await shop?.destroy();
    await bedrock?.close();
    await Promise.all((servers ?? []).map((server) => server.stop()));
  });

  async function left(): Promise<number> {
    return (await shop.selectFrom('stock').selectAll().executeTakeFirstOrThrow()).amount;
  }

  /** The transaction of a caller, which ends a while after the method that locks. */
  function buy(lock: Mutex, holdsOn: boolean): Promise<void> {
    const commit: Promise<void> = shop
      .transaction()
      .setIsolationLevel('read committed')
      .execute(async (tx) => {
        await take(lock, tx, (lease) => {
          if (holdsOn) lease.holdUntil(commit);
        });
        await sleep(COMMIT_DELAY_MS);
      });
    return commit;
  }

  it('loses updates when it is released before the commit', async () => {
    const lock = bedrock.mutex('stock:early');
    await Promise.all(Array.from({ length: BUYERS }, () => buy(lock, false)));
    expect(await left()).toBeGreaterThan(START - BUYERS);
  });

  it('loses none when it is held beyond the commit', async () => {
    const lock = bedrock.mutex('stock:late');
    await Promise.all(Array.from({ length: BUYERS }, () => buy(lock, true)));
    expect(await left()).toBe(START - BUYERS);
    expect(bedrock.stats().holds).toBe(0);
  });

  it('is free again when the transaction is rolled back', async () => {
    const lock = bedrock.mutex('stock:back');
    const rolledBack: Promise<void> = shop.transaction().execute(async (tx) => {
      await take(lock, tx, (lease) => lease.holdUntil(rolledBack));
      throw new RangeError('sold out');
    });
    await expect(rolledBack).rejects.toThrow('sold out');
    await lock.run(async () => expect(await left()).toBe(START), { waitMs: 1_000 });
  });
});
