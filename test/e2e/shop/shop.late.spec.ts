import { describe, expect, it } from '@jest/globals';
import { Bedrock } from 'bedrock-lock';
import { redis } from 'bedrock-lock/redis';
import { eventually } from 'bedrock-testkit';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { post, send } from './shop.crowd.js';
import { shopFixture, START, WITHIN_MS } from './shop.fixture.js';

/** What becomes of single orders when something does not answer. */
const shop = shopFixture({});

describe('an order whose deduction is unanswered', () => {
  it('fails before the deduction is made, and the late deduction is refused', async () => {
    const request = await shop.begin({
      orders: { STOCK_TIMEOUT_MS: '400', STOCK_TRIES: '2', LOOK_BACK_MS: '50,50' },
      stockService: { LOCK_WAIT_MS: '15000' },
    });
    const lease = await shop.holdGoods();
    const { order } = await send(shop.site.orders.url, randomUUID(), request);
    const told = await shop.settled(order.id);
    expect(told).toMatchObject({ status: 'failed', reason: 'the stock service did not answer in time' });
    // The deduction is on its way all the while: it waits for the goods.
    expect(await shop.operation('PUT', order.operationId)).toMatchObject({
      status: 409,
      body: { code: 'IDEMPOTENCY_IN_FLIGHT' },
    });
    await lease.release();
    await eventually(
      'the late command is answered',
      async () => (await shop.operation('PUT', order.operationId)).status !== 409,
      { withinMs: WITHIN_MS },
    );
    expect((await shop.operation('PUT', order.operationId)).body).toMatchObject({
      state: 'cancelled',
      flows: 0,
    });
    expect(await shop.written()).toEqual({ left: START, flows: 0 });
    expect(await shop.find(order.id)).toEqual(told);
  });

  it('is confirmed when the deduction is found by looking back', async () => {
    const request = await shop.begin({
      orders: { STOCK_TIMEOUT_MS: '500', STOCK_TRIES: '1', LOOK_BACK_MS: '500,1000,4000' },
      stockService: { LOCK_WAIT_MS: '15000' },
    });
    const lease = await shop.holdGoods();
    const answer = send(shop.site.orders.url, randomUUID(), request);
    await sleep(700);
    await lease.release();
    expect((await answer).order.status).toBe('confirmed');
    expect(await shop.written()).toEqual({ left: START - 2, flows: 1 });
  });

  it('is confirmed when the deduction was made and its answer got lost, even without looking back', async () => {
    const request = await shop.begin({
      orders: { STOCK_TIMEOUT_MS: '8000', STOCK_TRIES: '1', LOOK_BACK_MS: '0', RECONCILE_MS: '200' },
    });
    shop.site.proxy.dropReplies();
    const answer = send(shop.site.orders.url, randomUUID(), request);
    await eventually('the stock is booked', async () => (await shop.written()).flows === 1, {
      withinMs: WITHIN_MS,
    });
    shop.site.proxy.dropReplies(false);
    shop.site.proxy.cut();
    const { order } = await answer;
    expect((await shop.settled(order.id)).status).toBe('confirmed');
    expect(await shop.written()).toEqual({ left: START - 2, flows: 1 });
  });

  it('stays pending while the stock service is cut off, and is settled as soon as it can be reached', async () => {
    const request = await shop.begin();
    await shop.site.cutOff();
    const { status, order } = await send(shop.site.orders.url, randomUUID(), request);
    expect({ status, of: order.status }).toEqual({ status: 202, of: 'pending' });
    await sleep(700);
    expect((await shop.find(order.id)).status).toBe('pending');
    await shop.site.proxy.accept();
    expect(await shop.settled(order.id)).toMatchObject({ status: 'confirmed' });
    expect(await shop.written()).toEqual({ left: START - 2, flows: 1 });
  });

  it('is settled by the next process at its start, when its own was killed', async () => {
    const request = await shop.begin({ orders: { RECONCILE_MS: '3600000' } });
    await shop.site.cutOff();
    const { order } = await send(shop.site.orders.url, randomUUID(), request);
    await shop.site.orders.kill();
    await shop.site.proxy.accept();
    shop.site.orders = await shop.site.openOrders();
    expect(await shop.settled(order.id)).toMatchObject({ id: order.id, status: 'confirmed' });
    expect(await shop.written()).toEqual({ left: START - 2, flows: 1 });
  });

  it('is left alone while another process settles it', async () => {
    const request = await shop.begin();
    await shop.site.cutOff();
    const { order } = await send(shop.site.orders.url, randomUUID(), request);
    const bedrock = new Bedrock({ backend: redis(shop.servers.redis.url), prefix: 'shop:' });
    shop.onEnd(() => bedrock.close());
    const other = await bedrock.mutex('order').for(order.id).acquire();
    await shop.site.proxy.accept();
    await sleep(1_000);
    expect((await shop.find(order.id)).status).toBe('pending');
    await other.release();
    expect((await shop.settled(order.id)).status).toBe('confirmed');
  });
});

describe('an order service that is shut down', () => {
  it('answers at once, ends in order, and leaves the order to the next process', async () => {
    const request = await shop.begin({
      orders: { LOOK_BACK_MS: '100,200,400,800,1600,3200' },
      stockService: { LOCK_WAIT_MS: '15000' },
    });
    const lease = await shop.holdGoods();
    const answer = send(shop.site.orders.url, randomUUID(), request);
    await eventually('the order is pending', async () => (await shop.site.ordersList()).pending === 1, {
      withinMs: WITHIN_MS,
    });
    expect(await shop.site.orders.end()).toBe(0);
    const { status, order } = await answer;
    expect({ status, of: order.status }).toEqual({ status: 202, of: 'pending' });
    shop.site.orders = await shop.site.openOrders();
    await lease.release();
    expect((await shop.settled(order.id)).status).toBe('confirmed');
    expect(await shop.written()).toEqual({ left: START - 2, flows: 1 });
  });
});

describe('an order that is sent twice', () => {
  it('is one order when Redis was emptied in between, and its key serves no other', async () => {
    const request = await shop.begin();
    const key = randomUUID();
    const first = await send(shop.site.orders.url, key, request);
    await shop.emptyRedis();
    // The same key, as the draft of the header writes it.
    const second = await send(shop.site.orders.url, `"${key}"`, request);
    expect(second.isReplayed).toBe(false);
    expect(second.order).toEqual(first.order);
    await shop.emptyRedis();
    expect((await post(shop.site.orders.url, key, { ...request, customer: 'Bob' })).status).toBe(422);
    expect(await shop.written()).toEqual({ left: START - 2, flows: 1 });
  });

  it('gets the answer of the first, also when both come at once', async () => {
    const request = await shop.begin();
    const key = randomUUID();
    const answers = await Promise.all([1, 2].map(() => send(shop.site.orders.url, key, request)));
    expect(answers[0]!.order).toEqual(answers[1]!.order);
    expect(answers.map(({ isReplayed }) => isReplayed).toSorted()).toEqual([false, true]);
    expect(await shop.written()).toEqual({ left: START - 2, flows: 1 });
  });

  it('is refused with the field that is wrong, and is taken under the same key when it is right', async () => {
    const request = await shop.begin();
    const key = randomUUID();
    const wrong = await post(shop.site.orders.url, key, { ...request, lines: shop.linesOf(0) });
    expect(wrong.status).toBe(400);
    expect(await wrong.json()).toEqual({
      statusCode: 400,
      error: 'Bad Request',
      field: 'lines[0].quantity',
      message: 'lines[0].quantity must be a whole number from 1 to 1000000',
    });
    expect((await send(shop.site.orders.url, key, request)).order.status).toBe('confirmed');
    const keyless = await post(shop.site.orders.url, undefined, request);
    expect({ status: keyless.status, body: await keyless.json() }).toMatchObject({
      status: 400,
      body: { code: 'IDEMPOTENCY_KEY_MISSING' },
    });
    expect(await shop.written()).toEqual({ left: START - 2, flows: 1 });
  });
});
