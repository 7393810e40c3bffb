import { expect } from '@jest/globals';
import { ConflictException, Injectable } from '@nestjs/common';
import { LockBusyError } from 'bedrock-lock';
import { memory } from 'bedrock-lock/memory';
import { FaultyBackend, ManualClock } from 'bedrock-testkit';
import { BedrockService, currentLease, DistributedLock, type BedrockLockModuleOptions } from 'nestjs-bedrock';
import { locksOf } from '../app.js';

/** The lease that keeps `taken` busy, in ms. */
const LEASE_MS = 2_400;

/** What the answer to a busy lock is made of, whatever the transport. */
export const IN_USE = 'The resource is in use; try again later';
export const UNAVAILABLE = 'The service is not available at the moment; try again later';
export const UNSAFE = 'The request was not completed safely; its effects are uncertain';

/** Every lock error, raised as an application would meet it. */
@Injectable()
export class Troubles {
  constructor(private readonly bedrock: BedrockService) {}

  /** Settles with the error of this name. */
  async raise(name: string): Promise<unknown> {
    const method = (this as unknown as Record<string, (() => Promise<unknown>) | undefined>)[name];
    if (method === undefined) throw new RangeError(`no trouble of the name ${name}`);
    return method.call(this);
  }

  @DistributedLock({ lock: 'taken', waitMs: 0 })
  async LOCK_BUSY() {}

  async LOCK_WAIT_TIMEOUT() {
    const waiting = this.bedrock.lock('taken').acquire({ waitMs: 100 });
    await Promise.all([waiting, clockOf(this.bedrock).advance(101)]);
  }

  async QUEUE_FULL() {
    const waiter = new AbortController();
    const first = this.bedrock.lock('short').acquire({ signal: waiter.signal });
    try {
      await this.bedrock.lock('short').acquire();
    } finally {
      waiter.abort();
      await first.catch(() => undefined);
    }
  }

  @DistributedLock({ lock: 'unreachable', failFast: true })
  async BACKEND_UNAVAILABLE() {}

  async LOCK_CLOSED() {
    const closing = this.bedrock.bedrock().close({ graceMs: 0 });
    await Promise.all([this.bedrock.lock('free').acquire(), closing]);
  }

  @DistributedLock({ lock: 'free', renew: false, leaseMs: 1_000 })
  async LOCK_LOST() {
    clockOf(this.bedrock).block(5_000);
  }

  @DistributedLock('free')
  async LOCK_REVOKED() {
    await this.bedrock.lock('free').revoke();
    await currentLease()?.extend();
  }

  async IDEMPOTENCY_IN_FLIGHT() {
    const again = () => this.#orders.run({ key: 'flight' }, () => 1);
    await this.#orders.run({ key: 'flight' }, again);
  }

  async IDEMPOTENCY_MISMATCH() {
    for (const payload of [1, 2]) await this.#orders.run({ key: 'mismatch', payload }, () => 1);
  }

  async IDEMPOTENCY_RESULT() {
    for (let i = 0; i < 2; i += 1) await this.#orders.run({ key: 'result' }, () => 1n);
  }

  async IDEMPOTENCY_LOST() {
    await this.#orders.run({ key: 'lost' }, () => this.#orders.forget('lost'));
  }

  get #orders() {
    return this.bedrock.idempotency('orders');
  }

  @DistributedLock({ lock: 'free', key: '{0.id}' })
  async INVALID_OPTION(_order: { readonly id?: string } = {}) {}

  @DistributedLock('free')
  async LOCK_SELF_DEADLOCK() {
    await this.bedrock.lock('free').acquire();
  }

  async wrapped() {
    throw new Error('of the application', { cause: new LockBusyError('secret') });
  }

  async own() {
    throw new ConflictException('of the application', { cause: new LockBusyError('secret') });
  }
}

const clocks = new WeakMap<object, ManualClock>();

function clockOf(bedrock: BedrockService): ManualClock {
  return clocks.get(bedrock.bedrock().backend)!;
}

/** The locks of `Troubles`: one is taken, one has a short queue, one lives on a backend that is down. */
export function troubledLocks(options: Partial<BedrockLockModuleOptions> = {}) {
  const clock = new ManualClock();
  const sound = memory({ clock });
  clocks.set(sound, clock);
  const broken = new FaultyBackend(memory({ clock }), { clock }).plan('claim', { kind: 'refuse' }, Infinity);
  const locks = [
    'taken',
    { name: 'short', maxWaiters: 1 },
    'free',
    { name: 'unreachable', backend: 'broken' },
  ];
  return locksOf(locks, { clock, backends: { default: sound, broken }, prefix: 'secret:', ...options });
}

/** Takes what `Troubles` finds taken. */
export async function take(bedrock: BedrockService): Promise<void> {
  await bedrock.lock('taken').acquire({ renew: false, leaseMs: LEASE_MS });
  await bedrock.lock('short').acquire();
}

/** Matches the `Retry-After` of an answer, in seconds. */
export const SOON: unknown = expect.stringMatching(/^[12]$/);

/** Matches the `retryAfterMs` of an answer. */
export const SOON_MS: unknown = {
  asymmetricMatch: (ms: unknown) => Number.isInteger(ms) && 1_000 <= Number(ms) && Number(ms) <= 2_000,
  toString: () => 'from 1000 to 2000',
};
