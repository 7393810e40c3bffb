import type { LeaderTerm } from 'bedrock-lock';
import { DistributedLock, LockKey, OnLeader } from 'nestjs-bedrock';
import { EMPTY, Observable } from 'rxjs';

interface Order {
  readonly id: number;
}

export class Allowed {
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

  @DistributedLock({ lock: 'a', onBusy: 'skip' })
  async skipped(): Promise<void> {}

  @DistributedLock({ lock: 'a', onBusy: 'skip', key: (order: Order) => order.id })
  async skippedWithAValue(_order: Order): Promise<number | undefined> {
    return 1;
  }

  @DistributedLock({ lock: 'a', onBusy: 'skip' })
  skippedEvents(): Observable<number> {
    return EMPTY;
  }

  @DistributedLock({ lock: 'a', key: '{0.id}', onBusy: (error, order: Order) => `${error.code} ${order.id}` })
  async policyWithArguments(@LockKey() _order: Order): Promise<string> {
    return '';
  }
}

export class Refused {
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

  // @ts-expect-error it gets nothing but the term
  @OnLeader('a')
  async leadingWith(_term: LeaderTerm, _count: number): Promise<void> {}

  // @ts-expect-error a skipped call gives undefined
  @DistributedLock({ lock: 'a', onBusy: 'skip' })
  async skipped(): Promise<number> {
    return 1;
  }

  // @ts-expect-error onBusy wants another type than the method gets
  @DistributedLock({ lock: 'a', onBusy: (_error, order: Order) => order.id })
  async otherPolicy(_id: string): Promise<void> {}
}
