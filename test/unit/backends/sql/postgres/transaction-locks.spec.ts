import { setTimeout as sleep } from 'node:timers/promises';
import { lockInTransaction } from 'bedrock-lock/postgres';
import { PostgresFixture } from './fixture.js';

const fixture = new PostgresFixture();

beforeAll(() => fixture.start());
afterEach(() => fixture.clean());
afterAll(() => fixture.stop());

describe('locks of a transaction', () => {
  async function inTransaction<T>(
    work: (client: Parameters<typeof lockInTransaction>[0]) => Promise<T>,
  ): Promise<T> {
    const client = await fixture.observer.connect();
    try {
      await client.query('BEGIN');
      const result = await work(client);
      await client.query('COMMIT');
      return result;
    } catch (error) {
      await client.query('ROLLBACK');
      throw error;
    } finally {
      client.release();
    }
  }

  it('last until it ends, by commit or by rollback', async () => {
    for (const end of ['commit', 'rollback']) {
      const holding = inTransaction(async (client) => {
        await lockInTransaction(client, 'tx');
        await expect(
          inTransaction((other) => lockInTransaction(other, 'tx', { waitMs: 0 })),
        ).rejects.toMatchObject({
          code: 'LOCK_BUSY',
        });
        await expect(
          inTransaction((other) => lockInTransaction(other, 'tx', { waitMs: 40 })),
        ).rejects.toMatchObject({
          code: 'LOCK_WAIT_TIMEOUT',
        });
        if (end === 'rollback') throw new Error('on purpose');
      });
      await holding.catch((error: Error) => expect(error.message).toBe('on purpose'));
      await inTransaction((client) => lockInTransaction(client, 'tx', { waitMs: 0 }));
    }
  });

  it('are waited for', async () => {
    const order: string[] = [];
    let isHeld = (): void => undefined;
    const held = new Promise<void>((resolve) => (isHeld = resolve));
    const first = inTransaction(async (client) => {
      await lockInTransaction(client, 'wait');
      isHeld();
      await sleep(100);
      order.push('first');
    });
    await held;
    const others = [5_000, Infinity].map((waitMs) =>
      inTransaction(async (client) => {
        await lockInTransaction(client, 'wait', { waitMs });
        order.push('next');
      }),
    );
    await Promise.all([first, ...others]);
    expect(order).toEqual(['first', 'next', 'next']);
  });

  it('of several resources are never wanted in circles, and may be shared', async () => {
    const orders = [
      ['a', 'b', 'c'],
      ['c', 'b', 'a'],
      ['b', 'a'],
    ];
    const work = (names: string[]) =>
      inTransaction(async (client) => {
        await lockInTransaction(client, names, { waitMs: Infinity });
        await sleep(2);
      });
    await Promise.all(Array.from({ length: 12 }, (_, i) => work(orders[i % 3]!)));
    await inTransaction(async (client) => {
      await lockInTransaction(client, 'a', { mode: 'shared' });
      await inTransaction((other) => lockInTransaction(other, 'a', { mode: 'shared', waitMs: 0 }));
    });
  });

  it('are refused without a transaction, where they would be gone at once', async () => {
    await expect(lockInTransaction(fixture.observer, 'none')).rejects.toMatchObject({ field: 'client' });
    await expect(lockInTransaction(fixture.observer, 'none', { waitMs: -1 })).rejects.toMatchObject({
      field: 'waitMs',
    });
    await expect(lockInTransaction(fixture.observer, '')).rejects.toMatchObject({ field: 'resource' });
  });

  it.each([
    ['an empty list, which would lock nothing', [], 'resources'],
    ['a name in a list that is no text', ['a', 5], 'resources[1]'],
    ['no list', { length: 1 }, 'resources'],
  ])('refuse %s', async (_, resources, field) => {
    await expect(
      inTransaction((client) => lockInTransaction(client, resources as never)),
    ).rejects.toMatchObject({ code: 'INVALID_OPTION', field });
  });
});
