import { checkClock, checkWhole } from '../../core/checks.js';
import { systemClock, type Clock } from '../../core/clock.js';
import { checkText } from '../../core/key.js';

/** Settings that servers with sessions share. */
export interface SessionQueueOptions {
  /** Shown as the label of the holder. */
  readonly label?: string;
  /** Bound on every call, in ms; `ready()` waits five times as long. @default 1000 */
  readonly operationTimeoutMs?: number;
  /** @default the system clock */
  readonly clock?: Clock;
}

/** The checked options. */
export interface SessionQueueSettings {
  readonly label: string | undefined;
  readonly operationTimeoutMs: number;
  readonly maxLeaseMs: number;
  readonly clock: Clock;
}

/** Shortest lease, in ms: below it, a round trip to the servers takes too much of the lease. */
export const MIN_LEASE_MS = 50;

/** @param longestLeaseMs bound on `maxLeaseMs` @throws InvalidOptionError naming the field */
export function resolveSessionQueueOptions(
  options: SessionQueueOptions & { readonly maxLeaseMs: number },
  longestLeaseMs: number,
): SessionQueueSettings {
  const { label, operationTimeoutMs = 1_000, maxLeaseMs, clock = systemClock } = options;
  if (label !== undefined) checkText('label', label);
  return {
    label,
    operationTimeoutMs: checkWhole('operationTimeoutMs', operationTimeoutMs, 10, 60_000),
    maxLeaseMs: checkWhole('maxLeaseMs', maxLeaseMs, MIN_LEASE_MS, longestLeaseMs),
    clock: checkClock('clock', clock),
  };
}
