import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { startMariadb, startRedis, type RunningServer } from 'bedrock-servers';
import { eventually } from 'bedrock-testkit';
import { createConnection, type Connection, type RowDataPacket } from 'mysql2/promise';
import { endRuns, ShopRun } from './shop.run-command.js';

const AGREES = /^shop: (\d+) orders, (\d+) confirmed, (\d+) failed, stock and flows agree$/;

let mariadb: RunningServer;
let redis: RunningServer;
let database: Connection;

beforeAll(async () => {
  mariadb = await startMariadb();
  redis = await startRedis();
  database = await createConnection({ uri: mariadb.url });
}, 60_000);
afterEach(endRuns);
afterAll(async () => {
  await database?.end();
  await mariadb?.stop();
  await redis?.stop();
});

/** On the servers of the test, which are there already. */
function onServers(...args: readonly string[]): ShopRun {
  return new ShopRun(['--locks', 'redis', ...args], { MYSQL_URL: mariadb.url, REDIS_URL: redis.url });
}

async function databases(): Promise<string[]> {
  const [rows] = await database.query<RowDataPacket[]>(`SHOW DATABASES LIKE 'shop\\_%'`);
  return rows.map((row) => String(Object.values(row)[0]));
}

describe('npm run shop', () => {
  it('sells 200 orders exactly once on servers of its own, under faults, and stops all that it started', async () => {
    const run = new ShopRun([]);
    await run.says(/page http/);
    // Two services, MariaDB, Redis, ZooKeeper, and the command: watchdogs come on top.
    expect(run.processes().length).toBeGreaterThanOrEqual(6);
    expect(await run.ended()).toBe(0);
    expect(run.stderr).toBe('');
    const [, orders, confirmed, failed] = AGREES.exec(run.lastLine)!.map(Number);
    expect(orders).toBe(200);
    expect(confirmed! + failed!).toBe(200);
    expect(confirmed).toBeGreaterThan(50);
    expect(failed).toBeGreaterThan(0);
    for (const fault of [
      'replies of the stock service are dropped',
      'is killed',
      'connections to the stock service are cut',
    ]) {
      expect(run.stdout).toContain(fault);
    }
    expect(run.stdout).toContain('40 repeated requests were answered with the order of the first');
    expect(run.stdout).not.toContain('✘');
    expect(await run.leftovers()).toEqual([]);
  }, 120_000);

  it('uses the servers that it is given, leaves them running, and leaves nothing on them', async () => {
    const run = onServers('--orders', '30', '--goods', '3', '--no-faults');
    await run.says(/page http/);
    expect(await databases()).toHaveLength(2);
    expect(await run.ended()).toBe(0);
    expect(run.lastLine).toMatch(/^shop: 30 orders, .+ agree$/);
    expect(run.stdout).toContain('faults    0');
    expect(await databases()).toEqual([]);
    expect(await run.leftovers()).toEqual([]);
  }, 60_000);

  it('ends with 1, and says what does not agree, when a flow is gone', async () => {
    const run = onServers('--orders', '40', '--no-faults');
    await run.says(/page http/);
    const stock = (await databases()).find((name) => name.startsWith('shop_stock_'))!;
    const removed = async () => {
      const [result] = await database.query(`DELETE FROM ${stock}.flows ORDER BY id LIMIT 1`);
      return (result as { affectedRows: number }).affectedRows;
    };
    await eventually('there is a flow to remove', async () => (await removed()) > 0, { withinMs: 20_000 });
    expect(await run.ended()).toBe(1);
    expect(run.lastLine).toMatch(/^shop: 40 orders, .+, stock and flows DO NOT AGREE$/);
    expect(run.stdout).toMatch(/✘ a confirmed order has one flow for each of its lines.*: violated by order/);
    expect(run.stdout).toMatch(/✘ stock = start − flows.*: violated by/);
    expect(await run.leftovers()).toEqual([]);
  }, 60_000);

  it('keeps the page open with --serve, and closes everything at Ctrl-C', async () => {
    const run = onServers('--orders', '10', '--no-faults', '--serve', '--port', '0');
    const [, url] = await run.says(/^page at (http:\/\/127\.0\.0\.1:\d+\/), Ctrl-C closes the shop$/m);
    expect(run.stdout).toMatch(/^shop: 10 orders, .+ agree$/m);
    const page = await fetch(url!);
    expect(page.status).toBe(200);
    expect(await page.text()).toContain('<title>Bedrock shop</title>');
    run.signal('SIGINT');
    expect(await run.ended()).toBe(130);
    expect(run.stderr).toBe('');
    expect(await databases()).toEqual([]);
    expect(await run.leftovers()).toEqual([]);
  }, 60_000);

  it('closes everything at SIGTERM in the middle of the orders', async () => {
    const run = onServers();
    await run.says(/s {2}replies of the stock service are dropped/);
    run.signal('SIGTERM');
    expect(await run.ended()).toBe(143);
    expect(run.stderr).toBe('');
    expect(await databases()).toEqual([]);
    expect(await run.leftovers()).toEqual([]);
  }, 60_000);

  it('leaves no service behind even when it is killed itself', async () => {
    const run = onServers('--serve', '--port', '0', '--orders', '5', '--no-faults');
    await run.says(/^page at/m);
    expect(run.processes().length).toBeGreaterThanOrEqual(3);
    await run.kill();
    expect(await run.leftovers()).toEqual([]);
    for (const name of await databases()) await database.query(`DROP DATABASE ${name}`);
  }, 60_000);

  it('ends with 3, saying why, when a server does not answer or the port is taken', async () => {
    const dead = new ShopRun(['--locks', 'redis'], {
      MYSQL_URL: 'mysql://root@127.0.0.1:1',
      REDIS_URL: redis.url,
    });
    expect(await dead.ended()).toBe(3);
    expect(dead.stderr).toMatch(/^error: the run could not be completed: .*127\.0\.0\.1:1/);
    const taken = onServers('--port', String(redis.port));
    expect(await taken.ended()).toBe(3);
    expect(taken.stderr).toMatch(
      /^error: the run could not be completed: the order service did not start: .*EADDRINUSE/,
    );
    expect(await databases()).toEqual([]);
    expect([...(await dead.leftovers()), ...(await taken.leftovers())]).toEqual([]);
  }, 60_000);

  it('explains itself', async () => {
    const run = new ShopRun(['--help']);
    expect(await run.ended()).toBe(0);
    for (const word of ['--orders', '--goods', '--locks', '--no-faults', '--serve', '--port', 'Exit codes']) {
      expect(run.stdout).toContain(word);
    }
  });

  it.each([
    [['--orders', 'many'], '--orders must be a whole number from 1 to 500; got "many"'],
    [['--orders', '0'], '--orders must be a whole number from 1 to 500; got "0"'],
    [['--goods', '51'], '--goods must be a whole number from 1 to 50; got "51"'],
    [['--port', '1e3'], '--port must be a whole number from 0 to 65535; got "1e3"'],
    [
      ['--locks', 'zookeper'],
      '--locks must be one of zookeeper, redis, etcd, mysql, postgres, memory; got "zookeper"',
    ],
    [['--locks'], '--locks needs a value'],
    [['--port', '--serve'], '--port needs a value'],
    [['--serve=yes'], '--serve takes no value; got "yes"'],
    [['--goods', '3', '--goods', '4'], '--goods is given twice'],
    [['--order', '3'], 'unknown option --order'],
    [['__proto__'], '"__proto__" belongs to no option'],
  ])('refuses %j with one line, a hint and exit code 2, before anything runs', async (args, message) => {
    const run = new ShopRun(args);
    expect(await run.ended()).toBe(2);
    expect(run.stdout).toBe('');
    expect(run.stderr).toContain(`error: ${message}\n`);
    expect(run.stderr).toMatch(/^error: .+\nhint: .+\n$/);
  });
});
