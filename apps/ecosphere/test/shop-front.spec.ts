import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { startRedis, type RunningServer } from 'bedrock-servers';
import { Redis } from 'ioredis';
import { createShop } from '../src/shop-front/open-shop.js';

let server: RunningServer;
let redis: Redis;
let shop: NestExpressApplication;
beforeAll(async () => {
  server = await startRedis();
  redis = new Redis(server.url);
});
beforeEach(async () => {
  await redis.flushall();
  shop = await createShop({ url: server.url, stock: 2 });
  await shop.listen(0, '127.0.0.1');
});
afterEach(() => shop.close());
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

async function post(body: string, type = 'application/json') {
  const url = `${await shop.getUrl()}/flash-sale/purchase`;
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': type }, body });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: JSON.parse(text) as object };
}

const buy = (body: object) => post(JSON.stringify(body));
const figures = async () => (await fetch(`${await shop.getUrl()}/flash-sale`)).json();

describe('POST /flash-sale/purchase', () => {
  it('answers 201 with the sale to the request that made it, and 200 with the same to its repetitions', async () => {
    const order = { buyer: 'ann', requestId: 'a-1' };
    const first = await buy(order);
    expect(first.status).toBe(201);
    const sale = { ...order, number: 1, seen: 2, left: 1, soldBy: process.pid };
    expect(first.body).toMatchObject({ sold: true, sale, left: 1 });
    const again = await buy(order);
    expect(again.status).toBe(200);
    expect(again.body).toEqual(first.body);
  });

  it('gives each turn a greater token', async () => {
    const sales = [await buy({ buyer: 'ann' }), await buy({ buyer: 'ann' })];
    const [one, other] = sales.map(({ body }) => (body as { sale: { token: number } }).sale.token);
    expect(other).toBeGreaterThan(one!);
  });

  it('answers 200 that nothing is left', async () => {
    for (const buyer of ['ann', 'bob']) expect((await buy({ buyer })).status).toBe(201);
    const answer = await buy({ buyer: 'cem' });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ sold: false, left: 0 });
  });

  it('answers 422 to the request id of another buyer, and does not show the sale', async () => {
    await buy({ buyer: 'ann', requestId: 'a-1' });
    const answer = await buy({ buyer: 'bob', requestId: 'a-1' });
    expect(answer.status).toBe(422);
    expect(answer.body).toMatchObject({ field: 'requestId' });
    expect(answer.text).not.toContain('ann');
  });

  it.each([
    [{ buyer: '' }, 'buyer'],
    [{ buyer: 'ann', requestId: 5 }, 'requestId'],
    [{ buyer: 'ann', stock: 5 }, 'stock'],
    [[], 'body'],
  ])('answers 400 to %j and names %s', async (body, field) => {
    const answer = await buy(body);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ field });
    expect(await figures()).toMatchObject({ shop: { turns: 0 } });
  });

  it('answers 400 to a body that is not JSON, and 413 to one that is too long', async () => {
    expect((await post('{')).status).toBe(400);
    expect((await buy({ buyer: 'x'.repeat(5_000) })).status).toBe(413);
    const form = await post('buyer=ann', 'application/x-www-form-urlencoded');
    expect(form.body).toMatchObject({ statusCode: 400, field: 'body' });
  });

  it('answers 503 with Retry-After when the book cannot be read, and sells when it can', async () => {
    await redis.rename('ecosphere:{flash-sale}:left', 'ecosphere:{flash-sale}:kept');
    await redis.hset('ecosphere:{flash-sale}:left', 'no', 'number');
    const { status, headers } = await buy({ buyer: 'ann' });
    expect(status).toBe(503);
    expect(headers.get('retry-after')).toBe('1');
    await redis.rename('ecosphere:{flash-sale}:kept', 'ecosphere:{flash-sale}:left');
    expect((await buy({ buyer: 'ann' })).status).toBe(201);
  });
});

describe('GET /flash-sale', () => {
  it('adds up: stock, sales, items left, and how busy this process is', async () => {
    const nobody = { waiting: 0, holding: 0, process: process.pid };
    expect(await figures()).toMatchObject({ stock: 2, sold: 0, left: 2, oversold: 0, shop: nobody });
    await Promise.all([1, 2, 3].map((n) => buy({ buyer: `buyer ${n}` })));
    expect(await figures()).toMatchObject({
      stock: 2,
      sold: 2,
      left: 0,
      oversold: 0,
      shop: { ...nobody, turns: 3 },
    });
  });

  it('tells of an oversold stock, should there ever be one', async () => {
    await buy({ buyer: 'ann' });
    await redis.incr('ecosphere:{flash-sale}:left');
    expect(await figures()).toMatchObject({ stock: 2, sold: 1, left: 2, oversold: 1 });
  });
});
