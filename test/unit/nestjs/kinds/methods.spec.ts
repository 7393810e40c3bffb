import { memory, MemoryStore } from 'bedrock-lock/memory';
import { lastValueFrom, toArray } from 'rxjs';
import request from 'supertest';
import { jest } from '@jest/globals';
import { Injectable, Logger } from '@nestjs/common';
import { DistributedLock, getLockToken, InjectLock, type LockRegistration } from 'nestjs-bedrock';
import { Acquirable, Lock, Mutex, Semaphore } from 'bedrock-lock';
import { Test } from '@nestjs/testing';
import { bedrockOf, closeAll, errorOf, deferred, locksOf, serve, start, startError, until } from '../app.js';
import { crowd, EXCLUSIVE, ordersUnder, SHARED, type Taken } from './taken.js';

afterEach(closeAll);

async function application({ lock, use, rival }: Taken) {
  const { Orders, Handler } = ordersUnder(use);
  const metadata = { imports: [locksOf([lock])], providers: [Orders], controllers: [Handler] };
  const app = await serve(metadata);
  const bedrock = bedrockOf(app);
  return {
    app,
    orders: app.get(Orders),
    bedrock,
    rivalOn: (key: string) => rival(bedrock, key),
    stats: () => bedrock.bedrock().stats(),
  };
}

describe.each([...EXCLUSIVE, ...SHARED])('a method under $name', (taken) => {
  it('has its key from a template, a parameter or a function', async () => {
    const { orders } = await application(taken);
    expect(await orders.pay('a')).toBe('order:a');
    expect(await orders.byParameter('a')).toBe('order:a');
    expect(await orders.byFunction('a')).toBe('order:a:x');
  });

  it('waits for the holder in its way, and not for a holder of another key', async () => {
    const { orders, rivalOn, stats } = await application(taken);
    const held = await rivalOn('a').acquire();
    const waiting = orders.pay('a');
    expect(await orders.pay('b')).toBe('order:b');
    await until(() => stats().waiters === 1);
    expect(orders.entered).toHaveLength(1);
    await held.release();
    expect(await waiting).toBe('order:a');
  });

  it('is skipped or answered by onBusy without waiting', async () => {
    const { orders, rivalOn } = await application(taken);
    await using _held = await rivalOn('a').acquire();
    expect(await orders.skipping('a')).toBeUndefined();
    expect(await orders.instead('a')).toBe('LOCK_BUSY of a from the object');
    expect(await orders.skipping('b')).toBe('done');
    expect(orders.entered).toEqual(['skipping']);
  });

  it('must not report success when its lease was lost; onLost answers', async () => {
    const { orders, rivalOn, bedrock } = await application(taken);
    const lose = async () => {
      const lost = deferred();
      bedrock.bedrock().on('lease.lost', () => lost.open());
      await rivalOn('a').forceRelease();
      await lost.opened;
    };
    await expect(orders.pay('a', lose)).rejects.toMatchObject({ code: 'LOCK_LOST' });
    expect(await orders.instead('a', lose)).toBe('LOCK_LOST');
  });

  it('may be an Observable or an async generator, held until their end', async () => {
    const { orders, stats } = await application(taken);
    expect(await lastValueFrom(orders.stream('a').pipe(toArray()))).toEqual(['order:a', true]);
    const seen: unknown[] = [];
    for await (const value of orders.steps('a')) seen.push(value, stats().holds);
    expect(seen).toEqual(['order:a', 1, true, 1]);
    expect(stats().holds).toBe(0);
  });

  it('answers 409 with Retry-After when it is a handler', async () => {
    const { app, rivalOn } = await application(taken);
    const answer = () => request(app.getHttpServer() as never).get('/pay');
    expect((await answer()).text).toBe('paid');
    await using _held = await rivalOn('a').acquire();
    const { status, headers } = await answer();
    expect(status).toBe(409);
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
  });
});

describe.each(EXCLUSIVE)('a method under $name', ({ lock, use }) => {
  it('runs alone, across processes', async () => {
    const { Orders } = ordersUnder(use);
    const store = new MemoryStore();
    const metadata = () => ({
      imports: [locksOf([lock], { backend: () => memory({ store }) })],
      providers: [Orders],
    });
    const [one, other] = [await start(metadata()), await start(metadata())];
    const { witness: checker, body } = crowd();
    const calls = Array.from({ length: 20 }, (_, i) =>
      (i % 2 === 0 ? one : other).get(Orders).pay('a', body),
    );
    await Promise.all(calls);
    expect(checker.assertExclusion().leases).toBe(20);
  });
});

function decorated(options: string | { readonly lock: string; readonly [option: string]: unknown }) {
  class Orders {
    @DistributedLock(options)
    async place(): Promise<void> {}
  }
  return Orders;
}

const why = (lock: LockRegistration, options: Parameters<typeof decorated>[0]) =>
  startError({ imports: [locksOf([lock])], providers: [decorated(options)] });

describe('a method under what cannot be held', () => {
  it.each([
    ['countdownLatch', 'inject it with @InjectLock(), and call await() and countDown()'],
    [
      'countingSemaphore',
      'its permits have no holder; register a semaphore, or inject it with @InjectLock()',
    ],
    [
      'expirableSemaphore',
      'its permits are not renewed; register a semaphore, or inject it with @InjectLock()',
    ],
    ['leaderElection', 'put @OnLeader() on the method'],
  ] as const)('stops the start on a %s, and says what to use', async (kind, advice) => {
    const error = await why({ name: 'a', kind }, 'a');
    expect(error).toMatchObject({ code: 'INVALID_OPTION', field: 'lock' });
    expect(error.message).toBe(
      `Orders.place(): lock must be of a kind other than ${kind}: ${advice}; got "a"`,
    );
    const atOnce = errorOf(() => decorated({ lock: 'a', kind })) as Error;
    expect(atOnce).toMatchObject({ code: 'INVALID_OPTION', field: 'lock' });
    expect(atOnce.message).toContain(advice);
  });
});

describe('what a decorator says about its lock', () => {
  it('must be the kind that is registered', async () => {
    const error = await why({ name: 'a', kind: 'fairMutex' }, { lock: 'a', kind: 'mutex' });
    expect(error).toMatchObject({ code: 'INVALID_OPTION', field: 'kind' });
    expect(error.message).toContain(
      `kind must be left out, or 'fairMutex' as "a" is registered; got "mutex"`,
    );
  });

  it('must be no option of another kind', async () => {
    const error = await why({ name: 'a' }, { lock: 'a', permits: 2 });
    expect(error).toMatchObject({ code: 'INVALID_OPTION', field: 'permits' });
    expect(error.message).toContain('permits must be left out: "a" is a mutex, not a semaphore');
    const atOnce = errorOf(() => decorated({ lock: 'a', kind: 'mutex', permits: 2 }));
    expect(atOnce).toMatchObject({ code: 'INVALID_OPTION', field: 'permits' });
  });

  it('is listed at debug level', async () => {
    class Orders {
      @DistributedLock({ lock: 'seats', key: '{0}', permits: 2 })
      async place(_id: string): Promise<void> {}

      @DistributedLock({ lock: 'config', mode: 'read' })
      async look(): Promise<void> {}
    }
    const debug = jest.spyOn(Logger.prototype, 'debug').mockImplementation(() => {});
    const locks = locksOf([
      { name: 'seats', kind: 'semaphore', permits: 3 },
      { name: 'config', kind: 'readWriteLock' },
    ]);
    await start({ imports: [locks], providers: [Orders] });
    const lines = debug.mock.calls.map(([line]) => line as string);
    debug.mockRestore();
    expect(lines).toEqual([
      'Orders.place() locks seats:{0} (2 permits)',
      'Orders.look() locks config (read)',
    ]);
  });
});

const SEATS = { name: 'seats', kind: 'semaphore', permits: 3 } as const;

describe('@InjectLock()', () => {
  @Injectable()
  class Theatre {
    constructor(
      readonly name: Date,
      @InjectLock('seats') readonly seats: Mutex,
    ) {}
  }
  class Cinema {
    @InjectLock('seats') readonly seats!: Mutex;
  }
  class Base {
    @InjectLock('seats') readonly seats!: Mutex;
  }
  class Derived extends Base {}

  it.each([
    ['a constructor', Theatre, 'Theatre'],
    ['a property', Cinema, 'Cinema'],
    ['an inherited property', Derived, 'Base'],
  ])(
    'on %s stops the start when the lock is of another class than declared',
    async (_place, provider, owner) => {
      const providers = [provider, { provide: Date, useValue: new Date(0) }];
      const error = await startError({ imports: [locksOf([SEATS])], providers });
      expect(error).toMatchObject({ code: 'INVALID_OPTION', field: '@InjectLock()' });
      expect(error.message).toBe(
        `@InjectLock() must be declared as Semaphore in ${owner}, since "seats" is a semaphore; got "Mutex"`,
      );
      await expect(start({ imports: [locksOf(['seats'])], providers })).resolves.toBeDefined();
    },
  );

  it('takes what the class of the kind is made of, and what tells nothing', async () => {
    @Injectable()
    class Hall {
      constructor(
        @InjectLock('seats') readonly exact: Semaphore,
        @InjectLock('seats') readonly above: Acquirable,
        @InjectLock('order') readonly lock: Lock,
        @InjectLock('seats') readonly any: unknown,
        @InjectLock('seats') readonly part: Pick<Semaphore, 'run'>,
      ) {}
    }
    const app = await start({ imports: [locksOf([SEATS, 'order'])], providers: [Hall] });
    expect(app.get(Hall).exact).toBe(app.get(Hall).part);
  });

  it('lets a test put a double in the place of a lock', async () => {
    const providers = [Cinema];
    const module = await Test.createTestingModule({ imports: [locksOf(['seats'])], providers })
      .overrideProvider(getLockToken('seats'))
      .useValue({ run: (body: () => unknown) => body() })
      .compile();
    await expect(module.init()).resolves.toBeDefined();
    await module.close();
  });
});
