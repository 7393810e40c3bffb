import { Injectable, Logger } from '@nestjs/common';
import { jest } from '@jest/globals';
import { LockLostError, type Mutex } from 'bedrock-lock';
import { currentLease, DistributedLock, lockWhile } from 'nestjs-bedrock';
import {
  defer,
  EMPTY,
  firstValueFrom,
  from,
  lastValueFrom,
  Observable,
  of,
  Subject,
  throwError,
  toArray,
} from 'rxjs';
import { bedrockOf, closeAll, errorOf, gate, locksOf, start, until } from './app.js';

afterEach(closeAll);

const collect = <T>(source: Observable<T>) => lastValueFrom(source.pipe(toArray()));

const PassThrough = (_target: object, _key: string, descriptor: PropertyDescriptor) => {
  const inner = descriptor.value as (...args: unknown[]) => unknown;
  descriptor.value = function (this: object, ...args: unknown[]) {
    return inner.apply(this, args);
  };
};

@Injectable()
class Feeds {
  runs = 0;

  @DistributedLock('feed')
  declared(source: Observable<unknown>): Observable<unknown> {
    this.runs += 1;
    return source;
  }

  @DistributedLock({ lock: 'feed', returns: 'observable' })
  told(source: Observable<unknown>) {
    return source;
  }

  @DistributedLock({ lock: 'feed', onBusy: 'skip' })
  skipping(source: Observable<unknown>): Observable<unknown> {
    return source;
  }

  @DistributedLock({ lock: 'feed', onBusy: () => of('a', 'b') })
  instead(source: Observable<unknown>): Observable<unknown> {
    return source;
  }

  @DistributedLock({ lock: 'feed', onLost: ({ code }) => code })
  replaced(source: Observable<unknown>): Observable<unknown> {
    return source;
  }

  @DistributedLock('feed')
  async surprising(source: Observable<unknown>): Promise<Observable<unknown>> {
    return source;
  }

  @DistributedLock('feed')
  async *lines(body: () => AsyncIterable<unknown>): AsyncGenerator<unknown, unknown, unknown> {
    this.runs += 1;
    return (yield* body()) as unknown;
  }

  @DistributedLock({ lock: 'feed', returns: 'asyncIterator' })
  delegated(body: () => AsyncIterableIterator<unknown>): AsyncIterableIterator<unknown> {
    return body();
  }

  @DistributedLock('feed')
  undeclared(body: () => AsyncIterableIterator<unknown>): AsyncIterableIterator<unknown> {
    return body();
  }

  @DistributedLock({ lock: 'feed', onBusy: 'skip' })
  async *skippingLines(): AsyncGenerator<unknown> {
    yield 'never';
  }

  @DistributedLock({ lock: 'feed', onLost: ({ code }) => [code] })
  async *replacedLines(): AsyncGenerator<unknown> {
    yield 1;
    yield 2;
  }

  @DistributedLock('other')
  @PassThrough
  @DistributedLock('feed')
  async *wrappedLines(): AsyncGenerator<unknown> {
    yield currentLease()?.resource;
  }

  @DistributedLock({ lock: 'feed', onBusy: () => ['a', 'b'] })
  async *insteadLines(): AsyncGenerator<unknown> {
    yield 'never';
  }
}

async function feeds() {
  const app = await start({ imports: [locksOf(['feed', 'other'])], providers: [Feeds] });
  const lock = bedrockOf(app).lock('feed');
  const bedrock = bedrockOf(app).bedrock();
  const isFree = async () => (await lock.inspect()).length === 0;
  const stats = () => bedrock.stats();
  return { service: app.get(Feeds), lock, bedrock, isFree, stats };
}

describe('a method that returns an Observable', () => {
  it('is locked for each subscription, until it completes', async () => {
    const { service, isFree } = await feeds();
    const source = new Subject<number>();
    const stream = service.declared(source);
    expect(service.runs).toBe(0);
    expect(await isFree()).toBe(true);
    const values = collect(stream);
    await until(() => source.observed);
    expect(await isFree()).toBe(false);
    source.next(1);
    source.next(2);
    source.complete();
    expect(await values).toEqual([1, 2]);
    expect(await isFree()).toBe(true);
    expect(await collect(service.declared(EMPTY))).toEqual([]);
    expect(service.runs).toBe(2);
  });

  it('is locked too when the decorator tells what it returns', async () => {
    const { service } = await feeds();
    expect(await collect(service.told(defer(() => of(currentLease()?.resource))))).toEqual(['feed']);
  });

  it('lets two subscriptions take turns', async () => {
    const { service } = await feeds();
    const events: string[] = [];
    const stream = (name: string) =>
      service.declared(
        defer(async () => {
          events.push(`+${name}`);
          await new Promise((resolve) => setImmediate(resolve));
          events.push(`-${name}`);
        }),
      );
    await Promise.all([collect(stream('a')), collect(stream('b'))]);
    expect(events).toEqual(['+a', '-a', '+b', '-b']);
  });

  it('gives the lock back when it fails, before the error arrives', async () => {
    const { service, isFree } = await feeds();
    await expect(collect(service.declared(throwError(() => new TypeError('no'))))).rejects.toThrow(TypeError);
    expect(await isFree()).toBe(true);
  });

  it('gives the lock back when the subscriber leaves', async () => {
    const { service, lock, stats } = await feeds();
    const source = new Subject();
    const subscription = service.declared(source).subscribe();
    await until(() => source.observed);
    subscription.unsubscribe();
    expect(source.observed).toBe(false);
    await until(() => stats().holds === 0);
    await (await lock.acquire({ waitMs: 1000 })).release();
  });

  it('stops waiting when the subscriber leaves', async () => {
    const { service, lock, stats } = await feeds();
    await using _held = await lock.acquire();
    const subscription = service.declared(EMPTY).subscribe();
    await until(() => stats().waiters === 1);
    subscription.unsubscribe();
    await until(() => stats().waiters === 0);
    expect(service.runs).toBe(0);
  });

  it('does not run when the subscriber leaves while the lock is granted', async () => {
    const { service, bedrock, stats } = await feeds();
    const subscription = service.declared(EMPTY).subscribe();
    bedrock.on('lease.granted', () => subscription.unsubscribe());
    await until(() => stats().grants === 1 && stats().holds === 0);
    expect(service.runs).toBe(0);
  });

  it('ends with LockLostError as soon as the lock is lost', async () => {
    const { service, lock, bedrock } = await feeds();
    const source = new Subject();
    const observedAtLoss: boolean[] = [];
    bedrock.on('lease.lost', () => observedAtLoss.push(source.observed));
    const values = collect(service.declared(source));
    await until(() => source.observed);
    await lock.forceRelease();
    await expect(values).rejects.toThrow(LockLostError);
    expect(observedAtLoss).toEqual([false]);
  });

  it('asks onBusy and onLost like any method', async () => {
    const { service, lock } = await feeds();
    const held = await lock.acquire();
    expect(await collect(service.skipping(of(1)))).toEqual([]);
    expect(await collect(service.instead(of(1)))).toEqual(['a', 'b']);
    await held.release();
    const source = new Subject();
    const values = collect(service.replaced(source));
    await until(() => source.observed);
    await lock.forceRelease();
    expect(await values).toEqual(['LOCK_LOST']);
  });

  it('holds the lock until completion when nobody declared it, and says so once', async () => {
    const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => {});
    const { service, isFree } = await feeds();
    const source = new Subject();
    const call = service.surprising(source);
    await until(() => source.observed);
    expect(await isFree()).toBe(false);
    source.next(1);
    source.complete();
    const stream = await call;
    expect(await isFree()).toBe(true);
    expect(await collect(stream)).toEqual([1]);
    await expect(
      firstValueFrom(await service.surprising(throwError(() => new TypeError('no')))),
    ).rejects.toThrow(TypeError);
    expect(warn).toHaveBeenCalledTimes(1);
    expect(warn).toHaveBeenCalledWith(expect.stringContaining('Feeds.surprising() returned an Observable'));
    warn.mockRestore();
  });
});

describe('a method that is an async generator', () => {
  async function* count(to: number): AsyncGenerator<number> {
    for (let one = 1; one <= to; one += 1) yield one;
  }

  it('is locked from the first next() until it is done', async () => {
    const { service, isFree } = await feeds();
    const lines = service.lines(() => count(2));
    expect(await isFree()).toBe(true);
    expect(await lines.next()).toEqual({ done: false, value: 1 });
    expect(await isFree()).toBe(false);
    expect(await lines.next()).toEqual({ done: false, value: 2 });
    expect(await lines.next()).toEqual({ done: true, value: undefined });
    expect(await isFree()).toBe(true);
  });

  it('gives the lock back when the loop is left, and runs its finally under the lock', async () => {
    const { service, isFree } = await feeds();
    let atEnd: boolean | undefined;
    const body = async function* () {
      try {
        yield* count(5);
      } finally {
        atEnd = currentLease()?.isHeld;
      }
    };
    for await (const line of service.lines(body)) {
      if (line === 2) break;
    }
    expect(atEnd).toBe(true);
    expect(await isFree()).toBe(true);
  });

  it('takes no lock when it is left before the first next()', async () => {
    const { service, isFree } = await feeds();
    const lines = service.lines(() => count(1));
    expect(await lines.return('over')).toEqual({ done: true, value: 'over' });
    expect(service.runs).toBe(0);
    expect(await isFree()).toBe(true);
  });

  it('sees its lease at every step, whoever asks for it', async () => {
    const { service } = await feeds();
    const lines = service.lines(async function* () {
      for (;;) {
        yield currentLease()?.resource;
        await new Promise((resolve) => setImmediate(resolve));
      }
    });
    for (let step = 0; step < 3; step += 1) expect((await lines.next()).value).toBe('feed');
    await lines.return(undefined);
  });

  it('gets what next() sends and throw() throws', async () => {
    const { service, isFree } = await feeds();
    const lines = service.lines(async function* () {
      try {
        return `got ${String(yield 'ask')}`;
      } catch (error) {
        yield (error as Error).message;
        throw error;
      }
    });
    await lines.next();
    expect(await lines.throw(new TypeError('no'))).toEqual({ done: false, value: 'no' });
    await expect(lines.next()).rejects.toThrow(TypeError);
    expect(await isFree()).toBe(true);
    const other = service.lines(async function* () {
      return `got ${String(yield 'ask')}`;
    });
    await other.next();
    expect(await other.next('this')).toEqual({ done: true, value: 'got this' });
  });

  it('is told of a loss where it stands', async () => {
    const { service, lock, bedrock } = await feeds();
    const seen = gate<unknown>();
    const lines = service.lines(async function* () {
      try {
        yield 1;
        yield 2;
      } catch (error) {
        seen.open(error);
        throw error;
      }
    });
    await lines.next();
    const lost = gate();
    bedrock.on('lease.lost', () => lost.open());
    await lock.forceRelease();
    await lost.opened;
    await expect(lines.next()).rejects.toThrow(LockLostError);
    expect(await seen.opened).toBeInstanceOf(LockLostError);
  });

  it('may be a plain method that the decorator tells about', async () => {
    const { service } = await feeds();
    const seen: unknown[] = [];
    for await (const one of service.delegated(() => count(3))) seen.push(one);
    expect(seen).toEqual([1, 2, 3]);
  });

  it('must not be a plain method that nobody tells about', async () => {
    const { service } = await feeds();
    await expect(service.undeclared(() => count(3)) as unknown as Promise<unknown>).rejects.toThrow(
      "returns of Feeds.undeclared() must be 'asyncIterator'",
    );
  });

  it('asks onBusy like any method', async () => {
    const { service, lock } = await feeds();
    await using _held = await lock.acquire();
    expect(await collect(from(service.skippingLines()))).toEqual([]);
    expect(await collect(from(service.insteadLines()))).toEqual(['a', 'b']);
  });

  it('asks onLost like any method', async () => {
    const { service, lock, bedrock } = await feeds();
    const lines = service.replacedLines();
    expect(await lines.next()).toEqual({ done: false, value: 1 });
    const lost = gate();
    bedrock.on('lease.lost', () => lost.open());
    await lock.forceRelease();
    await lost.opened;
    expect(await lines.next()).toEqual({ done: false, value: 'LOCK_LOST' });
    expect(await lines.next()).toEqual({ done: true, value: undefined });
  });

  it('stays one under another decorator that wraps it', async () => {
    const { service } = await feeds();
    expect(await collect(from(service.wrappedLines()))).toEqual(['feed']);
  });
});

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
    ['waitMs', () => lockWhile({ run() {} } as unknown as Mutex, { waitMs: -1 })],
    ['leaseMs', () => lockWhile({ run() {} } as unknown as Mutex, { leaseMs: 0.5 })],
    ['signal', () => lockWhile({ run() {} } as unknown as Mutex, { signal: null as never })],
  ])('refuses a bad %s', (field, act) => {
    expect(errorOf(act)).toMatchObject({ code: 'INVALID_OPTION', field });
  });
});
