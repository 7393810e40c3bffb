import { Logger } from '@nestjs/common';
import { jest } from '@jest/globals';
import { LockLostError } from 'bedrock-lock';
import { currentLease, DistributedLock } from 'nestjs-bedrock';
import { defer, EMPTY, firstValueFrom, isObservable, of, Subject, throwError } from 'rxjs';
import { closeAll, locksOf, start, until } from './app.js';
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
