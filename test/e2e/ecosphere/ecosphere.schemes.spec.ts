import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startMariadb, startRedis, type RunningServer } from 'bedrock-servers';
import { Redis } from 'ioredis';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { ecosphere, type Outcome } from './ecosphere-command.js';

let database: RunningServer;
let redis: RunningServer;
beforeAll(async () => {
  [database, redis] = await Promise.all([startMariadb(), startRedis()]);
}, 60_000);
afterAll(() => Promise.all([database?.stop(), redis?.stop()]));

/** The figures of one way of working, by the names of their columns. */
function figuresOf({ lines }: Outcome, scheme: string, way: string): Record<string, number> {
  const table = lines.slice(lines.findIndex((line) => line.startsWith(`  ${scheme}  `)));
  const cellsOf = (line: string): string[] => line.trim().split(/ {2,}/).slice(1);
  const cells = cellsOf(table.find((line) => line.startsWith(`  ${way}  `))!);
  const figures = cellsOf(table[0]!).map((name, at) => [name, Number(cells[at])] as const);
  return Object.fromEntries(figures.filter(([, figure]) => !Number.isNaN(figure)));
}

describe('the schemes of a database, each under 50 requests at once', () => {
  let outcome: Outcome;
  beforeAll(async () => {
    outcome = await ecosphere(['--scenario', 'schemes', '--url', redis.url, '--database', database.url]);
  }, 90_000);

  it.each([
    [
      'a unique row before the order lets one request through, and tells the others "repeat request"',
      'duplicate table',
      'a unique row first, then the order',
      { requests: 50, succeeded: 1, refused: 49, orders: 1 },
    ],
    [
      'Bedrock gives 49 repetitions the answer of the first, and makes one order without any index',
      'duplicate table',
      'Bedrock: idempotency, no index',
      { requests: 50, succeeded: 50, refused: 0, replayed: 49, answers: 1, orders: 1 },
    ],
    [
      'select, then insert, makes an order for each request that looked before the first insertion',
      'select, then insert',
      'no unique index',
      { requests: 50, succeeded: 50, refused: 0, orders: 50 },
    ],
    [
      'a unique index fixes this, and the losers get "repeat request" instead of an error',
      'select, then insert',
      'unique index',
      { requests: 50, succeeded: 1, refused: 49, orders: 1 },
    ],
    [
      'a lock of Bedrock fixes this without the index',
      'select, then insert',
      'Bedrock: @DistributedLock, no index',
      { requests: 50, succeeded: 1, refused: 49, orders: 1 },
    ],
    [
      'a version refuses 49 of 50 buyers though there is enough for all, and oversells nothing',
      'optimistic lock, version',
      'where version = the one that was read',
      { requests: 50, 'in stock': 50, succeeded: 1, refused: 49, 'stock left': 49 },
    ],
    [
      'a lock of Bedrock before the version sells to all 50',
      'optimistic lock, version',
      'Bedrock: @DistributedLock',
      { requests: 50, 'in stock': 50, succeeded: 50, refused: 0, 'stock left': 0 },
    ],
    [
      'a condition sells 30 items to 50 buyers exactly 30 times',
      'optimistic lock, condition',
      'where enough is left, too few items',
      { requests: 50, 'in stock': 30, succeeded: 30, refused: 20, 'stock left': 0 },
    ],
    [
      'a condition sells 50 items to 50 buyers, and refuses none',
      'optimistic lock, condition',
      'where enough is left, an item for each',
      { requests: 50, 'in stock': 50, succeeded: 50, refused: 0, 'stock left': 0 },
    ],
    [
      'rows that are locked crosswise deadlock in each of 25 pairs, and half of the purchases are lost',
      'pessimistic lock, two rows',
      'each in its own order',
      {
        requests: 50,
        succeeded: 25,
        refused: 0,
        deadlocks: 25,
        'stock left': 25,
        'money left': 250,
      },
    ],
    [
      'under a multi-lock of Bedrock the same purchases have no deadlock, and none is lost',
      'pessimistic lock, two rows',
      'Bedrock: multiLock',
      { requests: 50, succeeded: 50, refused: 0, deadlocks: 0, 'stock left': 0, 'money left': 0 },
    ],
  ])('%s', (_promise, scheme, way, figures) => {
    expect(figuresOf(outcome, scheme, way)).toEqual(figures);
  });

  it('ends with exit code 0 and one line', () => {
    expect(outcome.stderr).toBe('');
    expect(outcome.lastLine).toBe('schemes: 5 of 5 did what they are known for');
    expect(outcome.code).toBe(0);
  });

  it('leaves neither a database nor a record behind', async () => {
    const connection = await createConnection({ uri: database.url });
    const client = new Redis(redis.url);
    try {
      const [rows] = await connection.query<RowDataPacket[]>("show databases like 'ecosphere%'");
      expect(rows).toEqual([]);
      // The counter of all fencing tokens stays by design.
      expect(await client.keys('*')).toEqual(['bedrock_token']);
    } finally {
      connection.destroy();
      client.disconnect();
    }
  });
});

describe('the servers of the schemes', () => {
  it('are started by the run where none is named', async () => {
    const outcome = await ecosphere(['--scenario', 'schemes', '--requests', '4'], { MYSQL_URL: '' });
    expect(outcome.stdout).toContain('data on a MariaDB of this run');
    expect(outcome.stdout).toContain('locks on a redis-server of this run');
    expect(outcome.lastLine).toBe('schemes: 5 of 5 did what they are known for');
    expect(outcome.code).toBe(0);
  }, 90_000);

  it('that do not answer end the run with exit code 3 and one line, without the password', async () => {
    const nobody = 'mysql://root:secret@127.0.0.1:9';
    const outcome = await ecosphere(['--scenario', 'schemes', '--url', redis.url, '--database', nobody]);
    expect(outcome.code).toBe(3);
    expect(outcome.stderr).toMatch(/^error: .*MariaDB at 127\.0\.0\.1:9 does not serve: .+\n$/);
    expect(outcome.stderr).not.toContain('secret');
  }, 30_000);

  it('that have too few connections end the run at once, and serve fewer requests', async () => {
    const small = await startMariadb({ args: ['--max-connections=20'] });
    try {
      const args = ['--scenario', 'schemes', '--url', redis.url, '--database', small.url];
      const refused = await ecosphere(args);
      expect(refused.stderr).toMatch(/^error: .*Too many connections\n$/);
      expect(refused.code).toBe(3);
      const served = await ecosphere([...args, '--requests', '10']);
      expect(served.lastLine).toBe('schemes: 5 of 5 did what they are known for');
    } finally {
      await small.stop();
    }
  }, 60_000);
});
