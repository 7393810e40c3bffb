import { Controller, Get, Injectable } from '@nestjs/common';
import type { Lease } from 'bedrock-lock';
import { ExclusionChecker } from 'bedrock-testkit';
import {
  currentLease,
  DistributedLock,
  LockKey,
  type BedrockService,
  type DistributedLockOptions,
  type LockRegistration,
} from 'nestjs-bedrock';
import { Observable, of } from 'rxjs';

/** What the caller of a method does inside of it. */
export type Body = () => Promise<unknown>;

type Use = Omit<DistributedLockOptions, 'key' | 'onBusy' | 'onLost'>;

/** A kind of lock, and what a method takes of it. */
export interface Taken {
  readonly name: string;
  readonly lock: LockRegistration;
  readonly use: Use;
  /** A caller that blocks such a method. */
  readonly rival: (bedrock: BedrockService, key: string) => Rival;
}

interface Rival {
  acquire(): Promise<Lease>;
  forceRelease(): Promise<boolean>;
}

function allPermits(bedrock: BedrockService, key: string): Rival {
  const semaphore = bedrock.semaphore('order').for(key);
  return {
    acquire: () => semaphore.acquire({ permits: semaphore.permits }),
    forceRelease: () => semaphore.forceRelease(),
  };
}

/** Methods that run alone. */
export const EXCLUSIVE: readonly Taken[] = [
  {
    name: 'a mutex',
    lock: { name: 'order' },
    use: { lock: 'order' },
    rival: (bedrock, key) => bedrock.mutex('order').for(key),
  },
  {
    name: 'a fair mutex',
    lock: { name: 'order', kind: 'fairMutex' },
    use: { lock: 'order', kind: 'fairMutex' },
    rival: (bedrock, key) => bedrock.fairMutex('order').for(key),
  },
  {
    name: 'the writing side of a read-write lock',
    lock: { name: 'order', kind: 'readWriteLock' },
    use: { lock: 'order', mode: 'write' },
    rival: (bedrock, key) => bedrock.readWriteLock('order').read.for(key),
  },
  {
    name: 'a semaphore of one',
    lock: { name: 'order', kind: 'semaphore', permits: 1 },
    use: { lock: 'order' },
    rival: allPermits,
  },
  {
    name: 'all permits of a semaphore',
    lock: { name: 'order', kind: 'semaphore', permits: 3 },
    use: { lock: 'order', kind: 'semaphore', permits: 3 },
    rival: (bedrock, key) => bedrock.semaphore('order').for(key),
  },
];

/** Methods that run beside others of their kind. */
export const SHARED: readonly Taken[] = [
  {
    name: 'the reading side of a read-write lock',
    lock: { name: 'order', kind: 'readWriteLock' },
    use: { lock: 'order', kind: 'readWriteLock', mode: 'read' },
    rival: (bedrock, key) => bedrock.readWriteLock('order').write.for(key),
  },
  {
    name: 'one permit of several',
    lock: { name: 'order', kind: 'semaphore', permits: 3 },
    use: { lock: 'order' },
    rival: allPermits,
  },
];

/** A body, and the checker of how many run it at the same time. */
export function crowd() {
  const checker = new ExclusionChecker();
  const body: Body = () => checker.run(() => new Promise((resolve) => setImmediate(resolve)));
  return { witness: checker, body };
}

/** Methods of every sort under one lock, narrowed by their first argument. */
export function ordersUnder(use: Use) {
  const options = use as { lock: string };

  @Injectable()
  class Orders {
    readonly entered: string[] = [];
    readonly status = 'from the object';

    @DistributedLock({ ...options, key: '{0}' })
    async pay(_id: string, body?: Body): Promise<unknown> {
      this.entered.push('pay');
      return (await body?.()) ?? currentLease()?.resource;
    }

    @DistributedLock(options)
    async byParameter(@LockKey() _id: string): Promise<unknown> {
      return currentLease()?.resource;
    }

    @DistributedLock({ ...options, key: (id: string) => [id, 'x'] })
    async byFunction(_id: string): Promise<unknown> {
      return currentLease()?.resource;
    }

    @DistributedLock({ ...options, key: '{0}', onBusy: 'skip' })
    async skipping(_id: string): Promise<unknown> {
      this.entered.push('skipping');
      return 'done';
    }

    @DistributedLock({
      ...options,
      key: '{0}',
      onBusy(this: Orders, error, id: string) {
        return `${error.code} of ${id} ${this.status}`;
      },
      onLost: (error) => error.code,
    })
    async instead(_id: string, body?: Body): Promise<unknown> {
      return (await body?.()) ?? 'done';
    }

    @DistributedLock({ ...options, key: '{0}' })
    stream(_id: string): Observable<unknown> {
      return of(currentLease()?.resource, currentLease()?.isHeld);
    }

    @DistributedLock({ ...options, key: '{0}' })
    async *steps(_id: string): AsyncGenerator<unknown> {
      yield currentLease()?.resource;
      yield currentLease()?.isHeld;
    }
  }

  @Controller()
  class Handler {
    @DistributedLock({ ...options, key: () => 'a', waitMs: 0 })
    @Get('pay')
    async pay(): Promise<string> {
      return 'paid';
    }
  }
  return { Orders, Handler };
}
