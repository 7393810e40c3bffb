import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { DistributedLock, type LockRegistration } from 'nestjs-bedrock';
import { closeAll, errorOf, locksOf, start, startError } from '../app.js';

afterEach(closeAll);

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
    ['countingSemaphore', 'nobody holds its permits; register a semaphore, or inject it with @InjectLock()'],
    [
      'expirableSemaphore',
      'nothing renews its permits; register a semaphore, or inject it with @InjectLock()',
    ],
    ['leaderElection', 'put @OnLeader() on the method'],
    ['idempotency', 'put @Idempotent() on the method'],
  ] as const)('stops the start on a %s, and says what to use', async (kind, advice) => {
    const error = await why({ name: 'a', kind }, 'a');
    expect(error).toMatchObject({ code: 'INVALID_OPTION', field: 'lock' });
    expect(error.message).toBe(`Orders.place(): lock must be no ${kind}: ${advice}; got "a"`);
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
    expect(error.message).toContain('permits must be left out: "a" is a mutex, no semaphore');
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
