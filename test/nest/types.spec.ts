import { DistributedLock, LockKey, type DistributedLockOptions } from 'nestjs-bedrock';
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

  @DistributedLock({ lock: 'a', key: '{0.id}', onBusy: (error, order: Order) => `${error.code} ${order.id}` })
  async policyWithArguments(@LockKey() _order: Order): Promise<string> {
    return '';
  }
}

class Refused {
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
});
