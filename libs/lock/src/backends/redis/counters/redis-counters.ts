import type { Counter, OperationId, TakeResult } from '../../../core/ports/counting.js';
import type { CounterDriver, Unsubscribe } from '../../../core/ports/ports.js';
import { scripts } from '../protocol/scripts.generated.js';
import type { CountingCalls } from './counting-calls.js';
import { channelOf } from './counter-keys.js';

/** The message that Redisson's waiters at a latch take for a new count. */
const NEW_COUNT = '1';

/** Latches and counting semaphores, in the formats of Redisson's RCountDownLatch and RSemaphore. */
export class RedisCounters implements CounterDriver {
  constructor(private readonly calls: CountingCalls) {}

  read({ resource }: Counter): Promise<number> {
    return this.calls.read(resource);
  }

  async create({ kind, resource }: Counter, value: number, operation: OperationId): Promise<boolean> {
    const message = kind === 'latch' ? NEW_COUNT : value;
    const args = [value, channelOf(kind, resource), message];
    const call = { script: scripts.counterCreate, resource, keys: [resource], args };
    const [created] = await this.calls.runOnce(call, operation);
    return Number(created) === 1;
  }

  async add({ kind, resource }: Counter, delta: number, operation: OperationId): Promise<number> {
    const script = kind === 'latch' ? scripts.latchDown : scripts.countingSemaphoreAdd;
    const args = [kind === 'latch' ? -delta : delta, channelOf(kind, resource)];
    const [value] = await this.calls.runOnce({ script, resource, keys: [resource], args }, operation);
    return Number(value);
  }

  async clear({ kind, resource }: Counter, operation: OperationId): Promise<number> {
    const call =
      kind === 'latch'
        ? { script: scripts.latchDelete, args: [channelOf(kind, resource)] }
        : { script: scripts.countingSemaphoreDrain, args: [] };
    const [before] = await this.calls.runOnce({ ...call, resource, keys: [resource] }, operation);
    return Number(before);
  }

  async take(resource: string, wants: readonly number[], operation: OperationId): Promise<TakeResult> {
    const call = { script: scripts.countingSemaphoreTake, resource, keys: [resource], args: wants };
    const [served, free] = await this.calls.runOnce(call, operation);
    return { served: Number(served), free: Number(free), retryInMs: Infinity };
  }

  async undo(resource: string, wants: readonly number[], operation: OperationId): Promise<void> {
    const args = [channelOf('semaphore', resource), ...wants];
    const call = { script: scripts.countingSemaphoreUndo, resource, keys: [resource], args };
    await this.calls.runOnce(call, operation);
  }

  watch({ kind, resource }: Counter, wake: () => void): Promise<Unsubscribe> {
    return this.calls.watch(channelOf(kind, resource), wake);
  }
}
