import { LockLostError } from 'bedrock-lock';
import { currentLease } from 'nestjs-bedrock';
import { from } from 'rxjs';
import { closeAll, gate } from './app.js';
import { collect, feeds } from './feeds.js';

afterEach(closeAll);

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
