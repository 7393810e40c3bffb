import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startRedis, type RunningServer } from 'bedrock-servers';
import { liveness } from 'bedrock-testkit';
import { Redis } from 'ioredis';
import { ServerError } from '../src/server/server.error.js';
import { SaleRepository } from '../src/shop-front/sale.repository.js';

/** As large as real tokens: 16 digits. */
const TOKEN = 1_795_278_021_522_523;
const ann = { buyer: 'ann', requestId: 'a-1' };
const bob = { buyer: 'bob', requestId: 'b-1' };

let server: RunningServer;
let redis: Redis;
let repository: SaleRepository;
beforeAll(async () => {
  server = await startRedis();
  redis = new Redis(server.url);
});
beforeEach(async () => {
  await redis.flushall();
  repository = new SaleRepository(server.url);
  await repository.open(2);
});
afterEach(() => repository.close());
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

describe('the book of the sale', () => {
  it('sells: one item less, one row more', async () => {
    expect(await repository.look(TOKEN, ann)).toEqual({ kind: 'open', left: 2 });
    const sale = { ...ann, number: 1, token: TOKEN, seen: 2, left: 1, soldBy: process.pid };
    expect(await repository.sell({ token: TOKEN, seen: 2 }, ann)).toEqual({ kind: 'sold', sale });
    expect(await repository.balance()).toEqual({ stock: 2, sold: 1, left: 1, refused: 0 });
  });

  it('gives a repeated order the same sale, and takes nothing for it', async () => {
    const first = await repository.sell({ token: TOKEN, seen: 2 }, ann);
    await repository.sell({ token: TOKEN + 1, seen: 1 }, bob);
    const again = { ...first, kind: 'repeated' };
    expect(await repository.sell({ token: TOKEN + 2, seen: 0 }, ann)).toEqual(again);
    expect(await repository.look(TOKEN + 2, ann)).toEqual({ ...first, kind: 'sold' });
    expect(await repository.balance()).toEqual({ stock: 2, sold: 2, left: 0, refused: 0 });
  });

  it('says that nothing is left, and writes no row', async () => {
    await repository.sell({ token: TOKEN, seen: 2 }, ann);
    await repository.sell({ token: TOKEN + 1, seen: 1 }, bob);
    const late = { buyer: 'cem', requestId: 'c-1' };
    expect(await repository.look(TOKEN + 2, late)).toEqual({ kind: 'open', left: 0 });
    expect(await repository.sell({ token: TOKEN + 2, seen: 0 }, late)).toEqual({ kind: 'soldOut' });
    expect(await repository.balance()).toEqual({ stock: 2, sold: 2, left: 0, refused: 0 });
  });

  it.each([
    ['written', () => repository.sell({ token: TOKEN + 1, seen: 2 }, bob), 1],
    ['only looked', () => repository.look(TOKEN + 1, bob), 0],
  ])('refuses an older token, also one less by 1, once a newer holder has %s', async (_what, newer, sold) => {
    await repository.look(TOKEN, ann);
    await newer();
    expect(await repository.sell({ token: TOKEN, seen: 2 }, ann)).toEqual({ kind: 'stale' });
    expect(await repository.look(TOKEN, ann)).toEqual({ kind: 'stale' });
    expect(await repository.balance()).toEqual({ stock: 2, sold, left: 2 - sold, refused: 2 });
    expect(await repository.sell({ token: TOKEN + 2, seen: 2 - sold }, ann)).toMatchObject({ kind: 'sold' });
  });

  it('lets one holder go on under its own token', async () => {
    await repository.sell({ token: TOKEN, seen: 2 }, ann);
    expect(await repository.sell({ token: TOKEN, seen: 1 }, bob)).toMatchObject({ kind: 'sold' });
  });

  it('goes on with a sale that was begun, whatever stock the next process names', async () => {
    await repository.sell({ token: TOKEN, seen: 2 }, ann);
    await repository.open(500);
    expect(await repository.balance()).toEqual({ stock: 2, sold: 1, left: 1, refused: 0 });
  });

  it('keeps the text of a buyer as it is', async () => {
    const buyer = 'Ünal "\\/" \u{1f9fe} 王';
    await repository.sell({ token: TOKEN, seen: 2 }, { buyer, requestId: 'u-1' });
    expect(await repository.look(TOKEN, { buyer, requestId: 'u-1' })).toMatchObject({ sale: { buyer } });
  });

  it('has all keys of a script under one hash tag', async () => {
    await repository.sell({ token: TOKEN, seen: 2 }, ann);
    await repository.sell({ token: TOKEN - 1, seen: 1 }, bob);
    const keys = (await redis.keys('*')).sort();
    expect(keys).toEqual(
      ['left', 'refused', 'requests', 'sales', 'stock', 'token'].map(
        (name) => `ecosphere:{flash-sale}:${name}`,
      ),
    );
  });

  it('sells while scripts are forgotten', async () => {
    await redis.script('FLUSH');
    expect(await repository.sell({ token: TOKEN, seen: 2 }, ann)).toMatchObject({ kind: 'sold' });
  });

  it('sells nothing when the stock is not known', async () => {
    await redis.flushall();
    await expect(repository.look(TOKEN, ann)).rejects.toThrow('the sale has not started');
    await expect(repository.sell({ token: TOKEN, seen: 1 }, ann)).rejects.toThrow(ServerError);
    expect(await redis.keys('*sales')).toEqual([]);
  });

  it('gives up within a second when Redis stands still, and the order can be repeated', async () => {
    server.pause();
    try {
      await liveness.within('the refusal', 3_000, () =>
        expect(repository.sell({ token: TOKEN, seen: 2 }, ann)).rejects.toThrow(ServerError),
      );
    } finally {
      server.resume();
    }
    // The command was in flight: it may execute late. Once it has, the repetition says so.
    const { kind } = await repository.sell({ token: TOKEN, seen: 2 }, ann);
    expect(['sold', 'repeated']).toContain(kind);
    expect(await repository.balance()).toEqual({ stock: 2, sold: 1, left: 1, refused: 0 });
  });
});
