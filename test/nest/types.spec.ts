import type { LeaderTerm, Mutex, Semaphore } from 'bedrock-lock';
import {
  DistributedLock,
  Idempotent,
  LockKey,
  lockWhile,
  OnLeader,
  type BedrockLockModuleOptions,
  type DistributedLockOptions,
  type LockOf,
} from 'nestjs-bedrock';
import { EMPTY, Observable } from 'rxjs';

/** Compiled by `npm run typecheck`: each line below a `@ts-expect-error` must not compile. */
interface Order {
  readonly id: number;
}

class Allowed {
  @DistributedLock('a')
  async promise(): Promise<number> {
    return 1;
  }

  @DistributedLock('a')
  observable(): Observable<number> {
    return EMPTY;
  }

  @DistributedLock('a')
  async *generator(): AsyncGenerator<number> {
    yield 1;
  }

  @DistributedLock({ lock: 'a', returns: 'asyncIterator' })
  iterator(): AsyncIterableIterator<number> {
    return this.generator();
  }

  @DistributedLock({ lock: 'a', key: (order: Order) => order.id })
  async fewer(_order: Order, _count: number): Promise<void> {}

  @DistributedLock({ lock: 'a', key: (order: Order, count?: number) => [order.id, count ?? 0] })
  async optional(_order: Order, _count?: number): Promise<void> {}

  @DistributedLock({ lock: 'a', key: (order: { readonly id: number | string }) => order.id })
  async wider(_order: Order): Promise<void> {}

  @DistributedLock({ lock: 'a', onBusy: (error) => error.resource, onLost: (error) => error.reason })
  async policies(_order: Order): Promise<string> {
    return '';
  }

  @DistributedLock({ lock: 'a', kind: 'readWriteLock', mode: 'read', key: (order: Order) => order.id })
  async reading(_order: Order): Promise<void> {}

  @DistributedLock({ lock: 'a', kind: 'semaphore', permits: 2, onBusy: (error, order: Order) => order.id })
  async ofPermits(_order: Order): Promise<number> {
    return 1;
  }

  @OnLeader('a')
  async leading(_term: LeaderTerm): Promise<void> {}

  @OnLeader({ election: 'a', backOffMs: 10 })
  async leadingBlindly(): Promise<void> {}

  @DistributedLock({ lock: 'a', key: '{0.id}', onBusy: (error, order: Order) => `${error.code} ${order.id}` })
  async policyWithArguments(@LockKey() _order: Order): Promise<string> {
    return '';
  }
}

class Refused {
  // @ts-expect-error a plain value
  @Idempotent({ idempotency: 'a', key: '{0}' })
  once(_key: string): number {
    return 1;
  }

  // @ts-expect-error a plain value: the caller would get a promise of it
  @DistributedLock('a')
  value(): number {
    return 1;
  }

  // @ts-expect-error nothing at all
  @DistributedLock('a')
  nothing(): void {}

  // @ts-expect-error sometimes a plain value
  @DistributedLock('a')
  sometimes(): number | Promise<number> {
    return 1;
  }

  // @ts-expect-error a synchronous generator
  @DistributedLock('a')
  *generator(): Generator<number> {
    yield 1;
  }

  // @ts-expect-error the key function wants another type than the method gets
  @DistributedLock({ lock: 'a', key: (order: Order) => order.id })
  async otherType(_id: string): Promise<void> {}

  // @ts-expect-error the key function wants more arguments than the method gets
  @DistributedLock({ lock: 'a', key: (order: Order, count: number) => [order.id, count] })
  async tooMany(_order: Order): Promise<void> {}

  // @ts-expect-error the term ends with the promise, so there must be one
  @OnLeader('a')
  leadingAtOnce(_term: LeaderTerm): void {}

  // @ts-expect-error nobody gives it anything but the term
  @OnLeader('a')
  async leadingWith(_term: LeaderTerm, _count: number): Promise<void> {}

  // @ts-expect-error onBusy wants another type than the method gets
  @DistributedLock({ lock: 'a', onBusy: (_error, order: Order) => order.id })
  async otherPolicy(_id: string): Promise<void> {}
}

describe('the types', () => {
  it('refuse what cannot be locked, and keep what can', () => {
    expect(new Allowed().promise).toBeInstanceOf(Function);
    expect(new Refused().value).toBeInstanceOf(Function);
  });

  it('refuse options that do not exist', () => {
    // @ts-expect-error a key that is no part of a name
    const key: DistributedLockOptions = { lock: 'a', key: () => ({}) };
    // @ts-expect-error a signal would be shared by all calls
    const signal: DistributedLockOptions = { lock: 'a', signal: new AbortController().signal };
    // @ts-expect-error skipping a loss would hide it
    const lost: DistributedLockOptions = { lock: 'a', onLost: 'skip' };
    expect([key, signal, lost]).toHaveLength(3);
  });

  it('know which options of a decorator belong to which kind', () => {
    // @ts-expect-error a read-write lock has two sides
    const side: DistributedLockOptions = { lock: 'a', kind: 'readWriteLock' };
    // @ts-expect-error a mutex has none
    const none: DistributedLockOptions = { lock: 'a', kind: 'mutex', mode: 'read' };
    // @ts-expect-error a fair mutex has no permits
    const permits: DistributedLockOptions = { lock: 'a', kind: 'fairMutex', permits: 2 };
    // @ts-expect-error a semaphore has no sides
    const sides: DistributedLockOptions = { lock: 'a', kind: 'semaphore', mode: 'read' };
    // @ts-expect-error nobody holds a latch
    const latch: DistributedLockOptions = { lock: 'a', kind: 'countdownLatch' };
    const open: DistributedLockOptions[] = [
      { lock: 'a', mode: 'write' },
      { lock: 'a', permits: 2 },
    ];
    expect([side, none, permits, sides, latch, ...open]).toHaveLength(7);
  });

  it('know which options of a registration belong to which kind', () => {
    type Locks = BedrockLockModuleOptions['locks'] & {};
    const good: Locks = [
      'a',
      { name: 'a', leaseMs: 5 },
      { name: 'a', kind: 'mutex', holdAtLeastMs: 5 },
      { name: 'a', kind: 'semaphore', permits: 5 },
      { name: 'a', kind: 'expirableSemaphore', leaseMs: Infinity },
      { name: 'a', kind: 'leaderElection', restMs: 5 },
    ];
    // @ts-expect-error a semaphore has a number of permits
    const permits: Locks = [{ name: 'a', kind: 'semaphore' }];
    // @ts-expect-error it is a mutex where no kind is said
    const mutex: Locks = [{ name: 'a', permits: 5 }];
    // @ts-expect-error a latch has no lease
    const latch: Locks = [{ name: 'a', kind: 'countdownLatch', leaseMs: 5 }];
    // @ts-expect-error who shares has no order
    const fencing: Locks = [{ name: 'a', kind: 'semaphore', permits: 5, fencing: true }];
    // @ts-expect-error there is no such kind
    const unknown: Locks = [{ name: 'a', kind: 'rwLock' }];
    expect([good, permits, mutex, latch, fencing, unknown]).toHaveLength(6);
  });

  it('name the class of a kind, and keep permits to semaphores', () => {
    const watch = (mutex: Mutex, semaphore: LockOf<'semaphore'>): readonly unknown[] => {
      const same: Semaphore = semaphore;
      // @ts-expect-error a mutex has no permits
      return [lockWhile(same, { permits: 2 }), lockWhile(mutex, { permits: 2 })];
    };
    expect(watch).toBeInstanceOf(Function);
  });
});
