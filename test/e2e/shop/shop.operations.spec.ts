import { describe, expect, it } from '@jest/globals';
import { createConnection } from 'mysql2/promise';
import { randomUUID } from 'node:crypto';
import { shopFixture, START } from './shop.fixture.js';

/** How the stock service handles requests that are delivered twice, late, or cancelled. */
const shop = shopFixture({ stockService: { LOCK_WAIT_MS: '1500' } });

describe('an operation that is delivered twice', () => {
  it('deducts once when Redis was emptied in between', async () => {
    await shop.begin();
    const id = randomUUID();
    const first = await shop.operation('PUT', id);
    await shop.emptyRedis();
    expect(await shop.operation('PUT', id)).toEqual(first);
    expect(first.body).toEqual({ operationId: id, state: 'deducted', flows: 1 });
    expect(await shop.written()).toEqual({ left: START - 2, flows: 1 });
    // Nor does it deduct something else.
    await shop.emptyRedis();
    expect((await shop.operation('PUT', id, shop.linesOf(1))).status).toBe(422);
    expect(await shop.written()).toEqual({ left: START - 2, flows: 1 });
  });

  it('is answered from its record, without the goods', async () => {
    await shop.begin();
    const id = randomUUID();
    const first = await shop.operation('PUT', id);
    const lease = await shop.holdGoods();
    expect(await shop.operation('PUT', id)).toEqual(first);
    // Another one has to wait for them.
    expect(await shop.operation('PUT', randomUUID())).toMatchObject({
      status: 409,
      body: { code: 'LOCK_WAIT_TIMEOUT' },
    });
    await lease.release();
  });

  it('deducts once while Redis does not answer', async () => {
    await shop.begin();
    const id = randomUUID();
    const health = async () => (await fetch(`${shop.site.stock.url}/health`)).json();
    const parts = { database: 'up', locks: 'up', records: 'up' };
    expect(await health()).toEqual({ status: 'up', parts });
    shop.servers.redis.pause();
    const first = await shop.operation('PUT', id);
    expect(first.body).toEqual({ operationId: id, state: 'deducted', flows: 1 });
    expect(await shop.operation('PUT', id)).toEqual(first);
    expect(await health()).toEqual({ status: 'down', parts: { ...parts, records: 'down' } });
    shop.servers.redis.resume();
    expect(await shop.written()).toEqual({ left: START - 2, flows: 1 });
  });

  it('takes nothing of the other goods when one is out of stock, and stays refused when there is more', async () => {
    await shop.begin();
    const other = shop.moreGoods();
    const lines = [...shop.linesOf(1), { goodsId: other, quantity: START + 1 }];
    const id = randomUUID();
    const refused = await shop.operation('PUT', id, lines);
    const reason = `out of stock: 11 of ${other} were wanted, 10 are left`;
    expect(refused.body).toEqual({ operationId: id, state: 'refused', reason, flows: 0 });
    const database = await createConnection({ uri: shop.servers.mariadb.url });
    await database.query(
      `UPDATE ${shop.site.databases.stock}.goods SET amount = 50, start_amount = 50 WHERE goods_id = '${other}'`,
    );
    await database.end();
    await shop.emptyRedis();
    expect(await shop.operation('PUT', id, lines)).toEqual(refused);
    expect(await shop.written()).toEqual({ left: START, flows: 0 });
  });
});

describe('a cancellation', () => {
  it('keeps an operation that comes later from deducting, for good', async () => {
    await shop.begin();
    const id = randomUUID();
    expect((await shop.operation('GET', id)).status).toBe(404);
    expect((await shop.operation('DELETE', id)).body).toMatchObject({ state: 'cancelled', flows: 0 });
    expect((await shop.operation('PUT', id)).body).toMatchObject({ state: 'cancelled', flows: 0 });
    expect((await shop.operation('GET', id)).body).toMatchObject({ state: 'cancelled', flows: 0 });
    expect(await shop.written()).toEqual({ left: START, flows: 0 });
  });

  it('changes nothing when the deduction was faster', async () => {
    await shop.begin();
    const id = randomUUID();
    const first = await shop.operation('PUT', id);
    expect(await shop.operation('DELETE', id)).toEqual(first);
    expect(await shop.operation('GET', id)).toEqual(first);
    expect(await shop.written()).toEqual({ left: START - 2, flows: 1 });
  });

  it('and a deduction that come at once have one winner', async () => {
    await shop.begin({ stockService: { LOCK_WAIT_MS: '15000' } });
    const deducted = await Promise.all(
      Array.from({ length: START }, async () => {
        const id = randomUUID();
        const both = await Promise.all([
          shop.operation('PUT', id, shop.linesOf(1)),
          shop.operation('DELETE', id),
        ]);
        expect(both[0].body.state).toBe(both[1].body.state);
        return both[0].body.state === 'deducted' ? 1 : 0;
      }),
    );
    const sold = deducted.filter((one) => one === 1).length;
    expect(await shop.written()).toEqual({ left: START - sold, flows: sold });
  });
});
