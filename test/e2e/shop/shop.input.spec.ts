import { afterEach, describe, expect, it } from '@jest/globals';
import { BadRequestException } from '@nestjs/common';
import { createServer, type Server } from 'node:net';
import { once } from 'node:events';
import { LimitPipe } from '../../../apps/shop/src/common/limit.pipe.js';
import { SettingError } from '../../../apps/shop/src/common/setting.error.js';
import { OrderPipe } from '../../../apps/shop/src/orders/order.pipe.js';
import { OrderSettings } from '../../../apps/shop/src/orders/order.settings.js';
import { requestKeyOf } from '../../../apps/shop/src/orders/request-key.js';
import { DeductionPipe } from '../../../apps/shop/src/stock/deduction.pipe.js';
import { OperationIdPipe } from '../../../apps/shop/src/stock/operation-id.pipe.js';
import { StockSettings } from '../../../apps/shop/src/stock/stock.settings.js';
import { endProcesses, ShopProcess } from './shop.process.js';

const LINE = { goodsId: 'apple', quantity: 1 };
const ORDER = { customer: 'Ada', lines: [LINE] };
const ORDERS_ENVIRONMENT = {
  DATABASE_URL: 'mysql://root@127.0.0.1:3306/',
  REDIS_URL: 'redis://127.0.0.1:6379',
  STOCK_URL: 'http://127.0.0.1:3001',
};
const STOCK_ENVIRONMENT = {
  DATABASE_URL: 'mysql://root@127.0.0.1:3306/',
  REDIS_URL: 'redis://127.0.0.1:6379',
  LOCKS_URL: 'zookeeper://127.0.0.1:2181',
};

afterEach(endProcesses);

/** The field that a refusal names. */
function refusedField(transform: () => unknown): string | undefined {
  try {
    transform();
  } catch (error) {
    expect(error).toBeInstanceOf(BadRequestException);
    return ((error as BadRequestException).getResponse() as { field: string }).field;
  }
  return undefined;
}

function refusedVariable(read: () => unknown): string | undefined {
  try {
    read();
  } catch (error) {
    expect(error).toBeInstanceOf(SettingError);
    expect((error as SettingError).message).toContain((error as SettingError).variable);
    return (error as SettingError).variable;
  }
  return undefined;
}

describe('the body of an order', () => {
  const pipe = new OrderPipe();

  it('is taken as it is when it is right', () => {
    const order = { customer: '李雷 🍎', lines: [LINE, { goodsId: 'pear_2.x-y', quantity: 1_000_000 }] };
    expect(pipe.transform(order)).toEqual(order);
  });

  it.each<[unknown, string]>([
    [undefined, 'body'],
    [null, 'body'],
    ['apple', 'body'],
    [[ORDER], 'body'],
    [{ ...ORDER, price: 0 }, 'price'],
    [{ lines: [LINE] }, 'customer'],
    [{ ...ORDER, customer: '' }, 'customer'],
    [{ ...ORDER, customer: '   ' }, 'customer'],
    [{ ...ORDER, customer: 'x'.repeat(65) }, 'customer'],
    [{ ...ORDER, customer: 'a\u0000b' }, 'customer'],
    [{ ...ORDER, customer: '\ud800' }, 'customer'],
    [{ ...ORDER, customer: 5 }, 'customer'],
    [{ customer: 'Ada' }, 'lines'],
    [{ ...ORDER, lines: [] }, 'lines'],
    [{ ...ORDER, lines: LINE }, 'lines'],
    [
      { ...ORDER, lines: Array.from({ length: 21 }, (_, at) => ({ goodsId: `g${at}`, quantity: 1 })) },
      'lines',
    ],
    [{ ...ORDER, lines: [null] }, 'lines[0]'],
    [{ ...ORDER, lines: [LINE, { ...LINE, price: 1 }] }, 'lines[1].price'],
    [{ ...ORDER, lines: [LINE, LINE] }, 'lines[1].goodsId'],
    [{ ...ORDER, lines: [{ ...LINE, goodsId: "apple' OR 1=1" }] }, 'lines[0].goodsId'],
    [{ ...ORDER, lines: [{ ...LINE, goodsId: 7 }] }, 'lines[0].goodsId'],
    ...[0, -1, 0.5, NaN, Infinity, 1_000_001, '1', null].map((quantity): [unknown, string] => [
      { ...ORDER, lines: [{ ...LINE, quantity }] },
      'lines[0].quantity',
    ]),
  ])('is refused with the field that is wrong: %j', (body, field) => {
    expect(refusedField(() => pipe.transform(body))).toBe(field);
  });

  it('names the fault in a deduction, an operation id and a limit too', () => {
    expect(refusedField(() => new DeductionPipe().transform({ lines: [{ ...LINE, quantity: 0 }] }))).toBe(
      'lines[0].quantity',
    );
    expect(refusedField(() => new OperationIdPipe().transform('a b'))).toBe('operationId');
    for (const limit of ['0', '-1', '1001', 'x', '', ['1', '2']])
      expect(refusedField(() => new LimitPipe().transform(limit))).toBe('limit');
    expect(new LimitPipe().transform(undefined)).toBe(50);
  });
});

describe('the key of a request', () => {
  it('is the same in quotes and without', () => {
    expect(requestKeyOf(' k-1 ')).toBe('k-1');
    expect(requestKeyOf('"k-1"')).toBe('k-1');
    expect(requestKeyOf('"a\\"b\\\\c"')).toBe('a"b\\c');
  });
});

describe('the settings', () => {
  it('look back after 3, 5 and 10 seconds unless they say otherwise', () => {
    expect(new OrderSettings(ORDERS_ENVIRONMENT).lookBackMs).toEqual([3_000, 5_000, 10_000]);
    const { lookBackMs } = new OrderSettings({ ...ORDERS_ENVIRONMENT, LOOK_BACK_MS: '100, 200,400' });
    expect(lookBackMs).toEqual([100, 200, 400]);
  });

  it('have the locks on ZooKeeper, or where they say', () => {
    expect(new StockSettings(STOCK_ENVIRONMENT).locksBackend).toBe('zookeeper');
    const { LOCKS_URL: _, ...others } = STOCK_ENVIRONMENT;
    const redis = new StockSettings({ ...others, LOCKS_BACKEND: 'redis' });
    expect(redis.locksUrl?.href).toBe(others.REDIS_URL);
    expect(new StockSettings({ ...others, LOCKS_BACKEND: 'memory' }).locksUrl).toBeUndefined();
    const { stock } = new StockSettings({ ...STOCK_ENVIRONMENT, STOCK: 'apple:100, pear:0' });
    expect([...stock]).toEqual([['apple', 100], ['pear', 0]]); // prettier-ignore
  });

  it.each([
    ['PORT', '65536'],
    ['PORT', '0x10'],
    ['DATABASE_URL', ''],
    ['DATABASE_URL', 'postgres://127.0.0.1/'],
    ['DATABASE', 'shop`; DROP'],
    ['REDIS_URL', 'no url'],
    ['STOCK_URL', 'ftp://127.0.0.1'],
    ['LOOK_BACK_MS', '3s'],
    ['LOOK_BACK_MS', '100,,200'],
    ['STOCK_TIMEOUT_MS', '0'],
    ['STOCK_TIMEOUT_MS', '1e3'],
    ['STOCK_TRIES', '0'],
    ['RECONCILE_MS', '-1'],
    ['ANSWER_WITHIN_MS', '86400001'],
  ])('of the order service are refused by name: %s=%s', (name, value) => {
    expect(refusedVariable(() => new OrderSettings({ ...ORDERS_ENVIRONMENT, [name]: value }))).toBe(name);
  });

  it.each([
    ['LOCKS_BACKEND', 'zk'],
    ['LOCKS_URL', ''],
    ['LOCKS_URL', 'redis://127.0.0.1'],
    ['LOCK_LEASE_MS', '10'],
    ['STOCK', 'apple'],
    ['STOCK', 'apple:-1'],
    ['STOCK', 'apple:1,apple:2'],
  ])('of the stock service are refused by name: %s=%s', (name, value) => {
    expect(refusedVariable(() => new StockSettings({ ...STOCK_ENVIRONMENT, [name]: value }))).toBe(name);
  });
});

describe('a service that cannot start', () => {
  it('says which setting is wrong, and ends with 2', async () => {
    const service = ShopProcess.start('stock', { ...STOCK_ENVIRONMENT, LOCKS_BACKEND: 'zk' });
    expect(await service.ended).toBe(2);
    expect(service.stderr).toContain(
      'LOCKS_BACKEND must be one of zookeeper, redis, etcd, mysql, postgres, memory; not "zk"',
    );
  });

  it('ends with 1 when its database does not answer', async () => {
    const closed = await closedPort();
    const url = `mysql://root@127.0.0.1:${closed}/`;
    const service = ShopProcess.start('orders', {
      ...ORDERS_ENVIRONMENT,
      DATABASE_URL: url,
      REDIS_URL: `redis://127.0.0.1:${closed}`,
    });
    expect(await service.ended).toBe(1);
    expect(service.stderr).toMatch(/error: .*(the database|redis)/);
  });
});

async function closedPort(): Promise<number> {
  const server: Server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}
