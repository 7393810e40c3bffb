import 'reflect-metadata';
import { Logger } from '@nestjs/common';
import { isLockError } from 'bedrock-lock';
import { HandlerFlow } from '../handlers/handler.flow.js';
import type { LockRegistry } from '../registry/lock.registry.js';
import { LOG_CONTEXT } from '../core/lock.constants.js';
import { onceAMinute } from '../registry/once-a-minute.js';

/** Metadata key of `@Cron()`, `@Interval()` and `@Timeout()` of @nestjs/schedule, which need not be installed. */
const SCHEDULER_TYPE = 'SCHEDULER_TYPE';

/** Whether a scheduler calls the method. It logs every error with its stack. */
export function isScheduled(method: object): boolean {
  return Reflect.hasMetadata(SCHEDULER_TYPE, method);
}

/**
 * The ticks of a scheduled method while its backend is unavailable: one log line per minute instead of a stack per
 * tick.
 */
export class MissedTicks {
  readonly #isDue = new WeakMap<LockRegistry, () => boolean>();

  constructor(private readonly label: string) {}

  /**
   * The result of a tick: undefined if it could not request its lock. A call inside a handler, or with arguments, gets
   * the error instead.
   */
  async run(
    registry: LockRegistry,
    args: readonly unknown[],
    tick: (began: () => void) => Promise<unknown>,
  ): Promise<unknown> {
    let hasBegun = false;
    try {
      return await tick(() => (hasBegun = true));
    } catch (error) {
      const isOutage = isLockError(error) && error.code === 'BACKEND_UNAVAILABLE' && !hasBegun;
      if (!isOutage || !isTickCall(args) || HandlerFlow.innermost !== undefined) throw error;
      this.#log(registry, error);
      return undefined;
    }
  }

  #log(registry: LockRegistry, error: Error): void {
    const isDue = this.#isDue.get(registry) ?? onceAMinute(registry.clock);
    this.#isDue.set(registry, isDue);
    if (!isDue()) return;
    new Logger(LOG_CONTEXT).error(`${this.label} did not run: ${error.message}. Logged once a minute`);
  }
}

/** `cron` passes the job's `onComplete` to each tick: undefined, since `@Cron()` accepts none. */
function isTickCall(args: readonly unknown[]): boolean {
  return args.every((arg) => arg === undefined);
}
