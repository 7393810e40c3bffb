import { Injectable } from '@nestjs/common';
import {
  BackendUnavailableError,
  LockBusyError,
  LockLostError,
  type Backend,
  type Mutex,
} from 'bedrock-lock';
import { memory } from 'bedrock-lock/memory';
import { currentLease, DistributedLock } from 'nestjs-bedrock';
import { altered } from './altered.js';
import { bedrockOf, closeAll, deferred, locksOf, start, until } from '../app.js';

afterEach(closeAll);

@Injectable()
class Jobs {
  runs = 0;
  readonly shift = 'night';

  @DistributedLock({ lock: 'job', onBusy: 'skip' })
  async skipping(body?: () => Promise<unknown>): Promise<unknown> {
    this.runs += 1;
    return (await body?.()) ?? 'done';
  }

  @DistributedLock({ lock: 'job', onBusy: 'skip', waitMs: 5 })
  async skippingLater(): Promise<unknown> {
    this.runs += 1;
    return 'done';
  }

  @DistributedLock({ lock: 'job', onBusy: 'skip', waitMs: Infinity })
  async skippingLong(): Promise<void> {
    this.runs += 1;
  }

  @DistributedLock({ lock: 'job', onBusy: (error, id: number) => `${error.code} ${id}` })
  async instead(_id: number): Promise<string> {
    this.runs += 1;
    return 'done';
  }

  @DistributedLock({
    lock: 'job',
    async onBusy(this: Jobs) {
      return this.shift;
    },
  })
  async insteadLater(): Promise<string> {
    return 'done';
  }

  @DistributedLock({ lock: 'other', onBusy: 'skip' })
  @DistributedLock('job')
  async both(): Promise<unknown> {
    return 'done';
  }
}

async function jobs(locks: Parameters<typeof locksOf>[0] = ['job', 'other'], backend?: () => Backend) {
  const options = backend === undefined ? {} : { backend };
  const app = await start({ imports: [locksOf(locks, options)], providers: [Jobs] });
  const bedrock = bedrockOf(app);
  return { app, service: app.get(Jobs), lock: bedrock.lock('job'), other: bedrock.lock('other'), bedrock };
}

describe('onBusy', () => {
  it('throws at once when the lock does not wait and nothing else is said', async () => {
    const { service, lock } = await jobs([{ name: 'job', waitMs: 0 }, 'other']);
    await using _held = await lock.acquire();
    await expect(service.both()).rejects.toThrow(LockBusyError);
  });

  it("'skip' gives undefined without waiting and without running the method", async () => {
    const { service, lock } = await jobs();
    await using _held = await lock.acquire();
    expect(await service.skipping()).toBeUndefined();
    expect(service.runs).toBe(0);
  });

  it("'skip' waits first when configured to", async () => {
    const { service, lock, bedrock } = await jobs();
    const held = await lock.acquire();
    const call = service.skippingLater();
    await until(() => bedrock.bedrock().stats().waiters === 1);
    expect(await call).toBeUndefined();
    await held.release();
    expect(await service.skippingLater()).toBe('done');
  });

  it('a function gives the value, with the error, the arguments and the object', async () => {
    const { service, lock } = await jobs();
    await using _held = await lock.acquire();
    expect(await service.instead(5)).toBe('LOCK_BUSY 5');
    expect(await service.insteadLater()).toBe('night');
    expect(service.runs).toBe(0);
  });

  it('covers a full queue', async () => {
    const { service, lock, bedrock } = await jobs([{ name: 'job', maxWaiters: 1 }, 'other']);
    await using _held = await lock.acquire();
    const wait = new AbortController();
    const waiter = lock.acquire({ signal: wait.signal });
    await until(() => bedrock.bedrock().stats().waiters === 1);
    expect(await service.skippingLater()).toBeUndefined();
    wait.abort();
    await expect(waiter).rejects.toMatchObject({ code: 'LOCK_ABORTED' });
  });

  it('never covers an error of the method, even of the same kind', async () => {
    const { service, lock } = await jobs();
    const inner = new LockBusyError('job');
    await expect(service.skipping(() => Promise.reject(inner))).rejects.toBe(inner);
    await expect(service.skipping(async () => { throw new LockBusyError(lock.resource); })).rejects.toThrow(LockBusyError); // prettier-ignore
  });

  it('never covers another lock of the same method', async () => {
    const { service, lock, other } = await jobs([{ name: 'job', waitMs: 0 }, 'other']);
    const held = await lock.acquire();
    await expect(service.both()).rejects.toMatchObject({ code: 'LOCK_BUSY', resource: 'job' });
    await held.release();
    await using _other = await other.acquire();
    expect(await service.both()).toBeUndefined();
    expect(await lock.inspect()).toEqual([]);
  });

  it('never covers a loss', async () => {
    const { service, lock } = await jobs();
    const call = service.skipping(async () => {
      const lost = deferred();
      currentLease()!.signal.addEventListener('abort', () => lost.open());
      await lock.forceRelease();
      await lost.opened;
    });
    await expect(call).rejects.toThrow(LockLostError);
  });

  it('never covers the end of the application', async () => {
    const { app, service, lock, bedrock } = await jobs();
    await lock.acquire();
    const waiter = service.skippingLong();
    await until(() => bedrock.bedrock().stats().waiters === 1);
    await app.close();
    await expect(waiter).rejects.toMatchObject({ code: 'LOCK_CLOSED' });
    await expect(service.skipping()).rejects.toMatchObject({ code: 'LOCK_CLOSED' });
    expect(service.runs).toBe(0);
  });

  it('never covers an unavailable backend', async () => {
    const claim = () => Promise.reject(new BackendUnavailableError('memory', 'unplugged', 'no'));
    const broken = (): Backend => altered(memory(), {}, { claim });
    const { service } = await jobs(['job', 'other'], broken);
    await expect(service.skipping()).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE' });
    expect(service.runs).toBe(0);
  });
});

describe('onLost', () => {
  @Injectable()
  class Reports {
    @DistributedLock('report')
    async throwing(body: () => Promise<unknown>): Promise<unknown> {
      return body();
    }

    @DistributedLock({ lock: 'report', onLost: (error, body: unknown) => [error.code, typeof body] })
    async replaced(body: () => Promise<unknown>): Promise<unknown> {
      return body();
    }
  }

  async function reports(options: Parameters<typeof locksOf>[1] = {}) {
    const app = await start({ imports: [locksOf(['report'], options)], providers: [Reports] });
    return { service: app.get(Reports), lock: bedrockOf(app).lock('report') };
  }

  /** A body that ends when its lease was taken away. */
  function losing(lock: Mutex, end: () => unknown = () => 'done') {
    return async () => {
      const { signal } = currentLease()!;
      const lost = deferred();
      signal.addEventListener('abort', () => lost.open());
      await lock.forceRelease();
      await lost.opened;
      return end();
    };
  }

  it('throws instead of a success', async () => {
    const { service, lock } = await reports();
    await expect(service.throwing(losing(lock))).rejects.toThrow(LockLostError);
  });

  it('a function gives the value, with the error and the arguments', async () => {
    const { service, lock } = await reports();
    expect(await service.replaced(losing(lock))).toEqual(['LOCK_LOST', 'function']);
  });

  it('is called too when the method notices the loss by itself', async () => {
    const { service, lock } = await reports();
    const body = losing(lock, () => currentLease()!.assertHeld());
    expect(await service.replaced(body)).toEqual(['LOCK_LOST', 'function']);
  });

  it('is called too when the loss shows at the release only', async () => {
    const withdraw = async () => 'absent' as const;
    const { service } = await reports({ backend: () => altered(memory(), {}, { withdraw }) });
    expect(await service.replaced(async () => 'done')).toEqual(['LOCK_LOST', 'function']);
  });

  it('is called for a nested call whose time ran out unnoticed', async () => {
    const { service, lock } = await reports();
    const spin = async () => {
      for (const end = performance.now() + 400; performance.now() < end;);
    };
    let inner: unknown;
    const outer = lock.run(async () => (inner = await service.replaced(spin)), { maxHoldMs: 200 });
    await expect(outer).rejects.toThrow(LockLostError);
    expect(inner).toEqual(['LOCK_LOST', 'function']);
  });

  it('never hides an error of the method', async () => {
    const { service, lock } = await reports();
    const body = losing(lock, () => {
      throw new TypeError('mine');
    });
    await expect(service.replaced(body)).rejects.toThrow(TypeError);
  });

  it('is not called for a loss that is not its own', async () => {
    const { service, lock } = await reports();
    const foreign = new LockLostError('report', 'expired', 1);
    await expect(service.replaced(() => Promise.reject(foreign))).rejects.toBe(foreign);
    const other = new LockLostError('other', 'expired', 1);
    const body = losing(lock, () => {
      throw other;
    });
    await expect(service.replaced(body)).rejects.toBe(other);
  });
});
