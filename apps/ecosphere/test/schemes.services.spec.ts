import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Bedrock } from 'bedrock-lock';
import { memory } from 'bedrock-lock/memory';
import { startMariadb, type RunningServer } from 'bedrock-servers';
import { Database } from '../src/schemes/database.js';
import { DuplicateTableService } from '../src/schemes/duplicate-table.service.js';
import { OptimisticConditionService } from '../src/schemes/optimistic-condition.service.js';
import { OptimisticVersionService } from '../src/schemes/optimistic-version.service.js';
import { PessimisticRowsService } from '../src/schemes/pessimistic-rows.service.js';
import { Tables } from '../src/schemes/tables.js';
import { ServerError } from '../src/server/server.error.js';

let server: RunningServer;
/** Frozen first, killed last. */
let mortal: RunningServer;
let database: Database;
let tables: Tables;
beforeAll(async () => {
  [server, mortal] = await Promise.all([startMariadb(), startMariadb()]);
  database = new Database(server.url, 2);
  tables = new Tables(database);
}, 60_000);
beforeEach(() => tables.renew('tb_order', 'tb_duplicate', 'tb_stock', 'tb_account'));
afterAll(async () => {
  await database?.onModuleDestroy();
  await Promise.all([server, mortal].map((one) => one?.stop()));
});

describe('an order with a row in the duplicate table', () => {
  it('can be sent again when it failed: the row goes with the order', async () => {
    const service = new DuplicateTableService(database);
    const order = { id: 'order-1', goodsId: 'goods-1', num: 1 };
    await expect(service.addOrder({ ...order, goodsId: 'g'.repeat(65) })).rejects.toThrow('Data too long');
    expect(await service.addOrder(order)).toBe('success');
    expect(await service.addOrder(order)).toBe('repeat request');
    expect(await tables.orders()).toBe(1);
  });
});

describe('a buyer', () => {
  beforeEach(async () => {
    await tables.putStock('goods-1', 1);
    await tables.putAccount('user-1', 10);
  });

  it.each([
    ['by version', () => new OptimisticVersionService(database)],
    ['by condition', () => new OptimisticConditionService(database)],
  ])('%s gets the answer "sold out", and nothing is taken', async (_name, make) => {
    const service = make();
    expect(await service.buy('goods-1', 2)).toBe('sold out');
    expect(await service.buy('goods-1', 1)).toBe('success');
    expect(await service.buy('goods-1', 1)).toBe('sold out');
    expect(await tables.stockLeft()).toBe(0);
  });

  it('pays when it gets the item, and neither pays nor gets it when the money or the stock is short', async () => {
    const bedrock = new Bedrock({ backend: memory() });
    const service = new PessimisticRowsService(database, bedrock.mutex('stock'), bedrock.mutex('account'));
    const purchase = { goodsId: 'goods-1', userId: 'user-1', price: 11, first: 'account' } as const;
    expect(await service.buyLocked(purchase)).toBe('sold out');
    expect([await tables.stockLeft(), await tables.moneyLeft()]).toEqual([1, 10]);
    expect(await service.buyLocked({ ...purchase, price: 7 })).toBe('success');
    expect(await service.buyLocked({ ...purchase, price: 3 })).toBe('sold out');
    expect([await tables.stockLeft(), await tables.moneyLeft()]).toEqual([0, 3]);
    await bedrock.close();
  });
});

describe('a statement', () => {
  it('on a server that stands still ends in its time, and nothing of its transaction counts later', async () => {
    const patient = new Database(mortal.url, 1, 2_000);
    try {
      const orders = new Tables(patient);
      await orders.renew('tb_order');
      const work = patient.transaction(async (link) => {
        await link.change("insert into tb_order (id, goods_id, num) values ('order-1', 'goods-1', 1)");
        mortal.pause();
        await link.rows('select 1');
      });
      await expect(work).rejects.toThrow('the database no longer answers: no answer in 2000 ms');
      await expect(work).rejects.toBeInstanceOf(ServerError);
      mortal.resume();
      // The beginning of a transaction would end one left open, and commit it.
      await patient.transaction(async () => undefined);
      expect(await orders.orders()).toBe(0);
    } finally {
      mortal.resume();
      await patient.onModuleDestroy();
    }
  });

  it('that the server refuses ends with the words of the server', async () => {
    const refused = database.session((link) => link.rows('select * from tb_nothing'));
    await expect(refused).rejects.toMatchObject({ code: 'ER_NO_SUCH_TABLE' });
  });
});

describe('a transaction', () => {
  it('leaves nothing behind when its work throws, and gives its connection back', async () => {
    for (let tries = 0; tries < 3; tries += 1) {
      const failed = database.transaction(async (link) => {
        await link.change('insert into tb_duplicate (id) values (?)', ['order-1']);
        throw new Error('of the work');
      });
      await expect(failed).rejects.toThrow('of the work');
    }
  });

  it('on a server that does not answer ends with a ServerError', async () => {
    const gone = new Database('mysql://root@127.0.0.1:9/x', 1);
    await expect(gone.open()).rejects.toBeInstanceOf(ServerError);
    await expect(gone.transaction(async () => undefined)).rejects.toBeInstanceOf(ServerError);
    await gone.onModuleDestroy();
  });

  it('whose server is killed ends at once with a ServerError, and so does the next', async () => {
    const doomed = new Database(mortal.url, 1);
    try {
      const work = doomed.transaction(async (link) => {
        mortal.kill('SIGKILL');
        await link.rows('select sleep(5)');
      });
      await expect(work).rejects.toBeInstanceOf(ServerError);
      await expect(doomed.transaction(async () => undefined)).rejects.toBeInstanceOf(ServerError);
    } finally {
      await doomed.onModuleDestroy();
    }
  });
});
