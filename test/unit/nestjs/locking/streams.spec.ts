import { Logger } from '@nestjs/common';
import { jest } from '@jest/globals';
import { LockLostError } from 'bedrock-lock';
import { currentLease, DistributedLock } from 'nestjs-bedrock';
import { defer, EMPTY, firstValueFrom, from, isObservable, of, Subject, throwError } from 'rxjs';
import { closeAll, deferred, locksOf, start, until } from '../app.js';
import { collect, feeds } from './feeds.js';

afterEach(closeAll);

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

  it('is known by a declared subclass of Observable, too', async () => {
    const { service } = await feeds();
    const subject: unknown = service.subject();
    expect(isObservable(subject)).toBe(true);
  });

  it('is known when it is declared with the Observable of a second copy of rxjs', async () => {
    const copy = class Observable {};
    class Feed {
      run(): unknown {
        return of(currentLease()?.resource);
      }
    }
    const method = Object.getOwnPropertyDescriptor(Feed.prototype, 'run')!;
    Reflect.defineMetadata('design:returntype', copy, Feed.prototype, 'run');
    DistributedLock('feed')(Feed.prototype, 'run', method as never);
    Object.defineProperty(Feed.prototype, 'run', method);
    const app = await start({ imports: [locksOf(['feed'])], providers: [Feed] });
    const stream = app.get(Feed).run();
    expect(isObservable(stream)).toBe(true);
    expect(await collect(stream as never)).toEqual(['feed']);
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

  it('holds the lock until completion when it is not declared, and says so once', async () => {
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

  it('sees its lease at every step, whichever caller asks for it', async () => {
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

  it('hears of a loss where it stands', async () => {
    const { service, lock, bedrock } = await feeds();
    const seen = deferred<unknown>();
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
    const lost = deferred();
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

  it('must not be a plain method that the decorator does not tell about', async () => {
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
    const lost = deferred();
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
