import { LockLostError, type Mutex } from 'bedrock-lock';
import { currentLease, lockWhile } from 'nestjs-bedrock';
import { defer, EMPTY, of, Subject, throwError } from 'rxjs';
import { bedrockOf, closeAll, errorOf, locksOf, start, until } from './app.js';
import { collect, feeds } from './feeds.js';

afterEach(closeAll);

describe('lockWhile', () => {
  it('subscribes to the source only while the lock is held', async () => {
    const { lock, isFree } = await feeds();
    const source = new Subject<number>();
    const values = collect(source.pipe(lockWhile(lock)));
    expect(source.observed).toBe(false);
    await until(() => source.observed);
    expect(await isFree()).toBe(false);
    source.next(1);
    source.complete();
    expect(await values).toEqual([1]);
    expect(await isFree()).toBe(true);
  });

  it('gives the lock back on error and on unsubscription', async () => {
    const { lock, isFree, stats } = await feeds();
    await expect(collect(throwError(() => new TypeError('no')).pipe(lockWhile(lock)))).rejects.toThrow(
      TypeError,
    );
    expect(await isFree()).toBe(true);
    const source = new Subject();
    const subscription = source.pipe(lockWhile(lock)).subscribe();
    await until(() => source.observed);
    subscription.unsubscribe();
    await until(() => stats().holds === 0);
  });

  it('fails with LockLostError when the lock is lost', async () => {
    const { lock } = await feeds();
    const source = new Subject();
    const values = collect(source.pipe(lockWhile(lock)));
    await until(() => source.observed);
    await lock.forceRelease();
    await expect(values).rejects.toThrow(LockLostError);
  });

  it('passes every option of time on to the lock', async () => {
    const { lock } = await feeds();
    const options = {
      leaseMs: 4_000,
      renew: false,
      maxHoldMs: 3_000,
      holdAtLeastMs: 5,
      waitMs: 20,
      failFast: true,
    };
    const terms = defer(() => of(currentLease()?.terms));
    expect(await collect(terms.pipe(lockWhile(lock, options)))).toEqual([{ ...lock.terms, ...options }]);
  });

  it('holds as many permits of a semaphore as it is told to', async () => {
    const app = await start({ imports: [locksOf([{ name: 'seats', kind: 'semaphore', permits: 3 }])] });
    const seats = bedrockOf(app).semaphore('seats');
    const source = new Subject();
    const subscription = source.pipe(lockWhile(seats, { permits: 2 })).subscribe();
    await until(() => source.observed);
    expect(await seats.available()).toBe(1);
    subscription.unsubscribe();
    expect(errorOf(() => lockWhile(seats, { permits: 0 }))).toMatchObject({ field: 'permits' });
  });

  it('obeys the options of the call', async () => {
    const { lock, stats } = await feeds();
    await using _held = await lock.acquire();
    await expect(collect(EMPTY.pipe(lockWhile(lock, { waitMs: 0 })))).rejects.toMatchObject({
      code: 'LOCK_BUSY',
    });
    const stop = new AbortController();
    const values = collect(EMPTY.pipe(lockWhile(lock, { signal: stop.signal })));
    await until(() => stats().waiters === 1);
    stop.abort(new Error('enough'));
    await expect(values).rejects.toMatchObject({ code: 'LOCK_ABORTED', cause: { message: 'enough' } });
    await expect(collect(EMPTY.pipe(lockWhile(lock, { signal: stop.signal })))).rejects.toMatchObject({
      code: 'LOCK_ABORTED',
    });
  });

  it('stops waiting on unsubscription, whatever signal it was given', async () => {
    const { lock, stats } = await feeds();
    await using _held = await lock.acquire();
    const { signal } = new AbortController();
    const subscription = EMPTY.pipe(lockWhile(lock, { signal })).subscribe();
    await until(() => stats().waiters === 1);
    subscription.unsubscribe();
    await until(() => stats().waiters === 0);
  });

  it.each([
    ['lock', () => lockWhile(undefined as unknown as Mutex)],
    ['lock', () => lockWhile({} as Mutex)],
    ['options', () => lockWhile({ run() {} } as unknown as Mutex, null as never)],
    ['options.wait', () => lockWhile({ run() {} } as unknown as Mutex, { wait: 1 } as never)],
    ['options.permits', () => lockWhile({ run() {} } as unknown as Mutex, { permits: 1 } as never)],
    ['waitMs', () => lockWhile({ run() {} } as unknown as Mutex, { waitMs: -1 })],
    ['leaseMs', () => lockWhile({ run() {} } as unknown as Mutex, { leaseMs: 0.5 })],
    ['signal', () => lockWhile({ run() {} } as unknown as Mutex, { signal: null as never })],
  ])('refuses a bad %s', (field, act) => {
    expect(errorOf(act)).toMatchObject({ code: 'INVALID_OPTION', field });
  });
});
