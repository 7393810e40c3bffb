import { percentile } from '../figures/statistics.js';
import { usageFromHere } from '../figures/usage.js';
import { handled } from '../libraries/repeated.js';
import type { OpenLock } from '../libraries/open-lock.js';
import type { Role } from './role.js';

export interface RepeatOrder {
  readonly key: string;
  /** First requests, one after the other. */
  readonly firsts: number;
  /** Callers that repeat them concurrently. */
  readonly callers: number;
  readonly durationMs: number;
}

export interface RepeatAccount {
  readonly firstUs: number;
  readonly commandsPerFirst: number;
  readonly replaysPerS: number;
  readonly cpuUsPerReplay: number;
  readonly commandsPerReplay: number;
  /** Runs of the handler beyond one for each key. */
  readonly runsTooMany: number;
}

const WARM_UP_MS = 1_500;

/** First requests under keys of their own, and then many repetitions of them. */
export const repeat: Role<RepeatOrder, RepeatAccount> = async (lock, order, channel) => {
  globalThis.gc?.();
  await goThrough(lock, { ...order, key: `${order.key}-warm`, durationMs: WARM_UP_MS });
  await channel.ready();
  return goThrough(lock, order);
};

async function goThrough(
  lock: OpenLock,
  { key, firsts, callers, durationMs }: RepeatOrder,
): Promise<RepeatAccount> {
  const keys = Array.from({ length: firsts }, (_, i) => `${key}-${i}`);
  const runsBefore = handled.runs;
  const samples = new Float64Array(firsts);
  const usedByFirsts = usageFromHere();
  for (const [i, one] of keys.entries()) {
    const from = performance.now();
    await lock.once!(one);
    samples[i] = performance.now() - from;
  }
  const forFirsts = usedByFirsts();
  const usedByReplays = usageFromHere();
  const until = performance.now() + durationMs;
  let replays = 0;
  await Promise.all(
    Array.from({ length: callers }, async (_, caller) => {
      for (let i = caller; performance.now() < until; i += callers) {
        await lock.once!(keys[i % firsts]!);
        replays += 1;
      }
    }),
  );
  const forReplays = usedByReplays();
  return {
    firstUs: percentile(samples, 0.5) * 1_000,
    commandsPerFirst: forFirsts.commands / firsts,
    replaysPerS: (1_000 * replays) / forReplays.elapsedMs,
    cpuUsPerReplay: (1_000 * forReplays.cpuMs) / replays,
    commandsPerReplay: forReplays.commands / replays,
    runsTooMany: handled.runs - runsBefore - firsts,
  };
}
