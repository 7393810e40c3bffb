import type { OperationId, PermitRequest, TakeResult } from '../../../core/ports/counting.js';
import type { PermitDriver, Unsubscribe } from '../../../core/ports/ports.js';
import { scripts } from '../protocol/scripts.generated.js';
import type { CountingCalls } from './counting-calls.js';
import { channelOf, leasesKey, storedAnswerKey } from './counter-keys.js';

/**
 * Permits with leases, in the format of Redisson's RPermitExpirableSemaphore. They expire by the
 * server's clock.
 */
export class RedisPermits implements PermitDriver {
  constructor(private readonly calls: CountingCalls) {}

  async available(resource: string): Promise<number> {
    const args = [channelOf('semaphore', resource)];
    const [free] = await this.calls.run({
      script: scripts.expirableSemaphoreAvailable,
      ...keysOf(resource),
      args,
    });
    return Number(free);
  }

  async create(resource: string, permits: number, operation: OperationId): Promise<boolean> {
    const args = [permits, channelOf('semaphore', resource), permits];
    const call = { script: scripts.counterCreate, resource, keys: [resource], args };
    const [created] = await this.calls.runOnce(call, operation);
    return Number(created) === 1;
  }

  async take(resource: string, wants: readonly PermitRequest[], operation: OperationId): Promise<TakeResult> {
    const args = [
      channelOf('semaphore', resource),
      ...wants.flatMap(({ ids, leaseMs }) => [encodedLease(leaseMs), ids.length, ...ids]),
    ];
    const { keys } = keysOf(resource);
    const mark = storedAnswerKey(resource, operation.id);
    const call = { script: scripts.expirableSemaphoreTake, resource, keys: [...keys, mark], args };
    const [served, free, retry] = await this.calls.runInTime(call, operation);
    return { served: Number(served), free: Number(free), retryInMs: retryOf(Number(retry)) };
  }

  async extend(resource: string, id: string, leaseMs: number, operation: OperationId): Promise<boolean> {
    const args = [channelOf('semaphore', resource), encodedLease(leaseMs), id];
    const call = { script: scripts.expirableSemaphoreExtend, ...keysOf(resource), args };
    const [extended] = await this.calls.runInTime(call, operation);
    return extended === 1;
  }

  async release(resource: string, ids: readonly string[], operation: OperationId): Promise<number> {
    const args = [channelOf('semaphore', resource), ...ids];
    const call = { script: scripts.expirableSemaphoreRelease, ...keysOf(resource), args };
    const [released] = await this.calls.runOnce(call, operation);
    return Number(released);
  }

  watch(resource: string, wake: () => void): Promise<Unsubscribe> {
    return this.calls.watch(channelOf('semaphore', resource), wake);
  }
}

function keysOf(resource: string): { readonly resource: string; readonly keys: readonly string[] } {
  return { resource, keys: [resource, leasesKey(resource)] };
}

/** A lease on the wire: -1 stands for no end. */
function encodedLease(leaseMs: number): number {
  return leaseMs === Infinity ? -1 : leaseMs;
}

function retryOf(ms: number): number {
  return ms < 0 ? Infinity : ms;
}
