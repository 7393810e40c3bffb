import { usageFromHere, type Usage } from '../figures/usage.js';
import type { OpenLock } from '../libraries/open-lock.js';
import { cycleOf } from './cycle.js';
import type { Role } from './role.js';

export interface CrowdOrder {
  /** A key for each task; a shared key makes the tasks compete. */
  readonly keys: readonly string[];
  readonly durationMs: number;
  /** Steps of 200 ms. @default 10 */
  readonly warmUpStepsAtMost?: number;
}

export interface CrowdAccount extends Usage {
  /** Cycles that each task completed in that time. */
  readonly cycles: readonly number[];
  /** Calls that threw instead of getting the lock. */
  readonly failures: number;
}

/** Many concurrent tasks of one process, without work under the lock. */
export const crowd: Role<CrowdOrder, CrowdAccount> = async (
  lock,
  { keys, durationMs, warmUpStepsAtMost = 10 },
  channel,
) => {
  // Before the warm-up, since it discards compiled code.
  globalThis.gc?.();
  await warmUp(lock, keys, warmUpStepsAtMost);
  await channel.ready();
  return compete(lock, keys, durationMs);
};

/**
 * Runs until the code is compiled: for a number of cycles, since a slow machine takes longer, and for a time, in which
 * fast locks do far more.
 */
async function warmUp(lock: OpenLock, keys: readonly string[], stepsAtMost: number): Promise<void> {
  const [cyclesAtLeast, stepsAtLeast, stepMs] = [60_000, 2, 200];
  let done = 0;
  for (let step = 0; step < stepsAtMost && (step < stepsAtLeast || done < cyclesAtLeast); step++) {
    const { cycles } = await compete(lock, keys, stepMs);
    done += cycles.reduce((sum, count) => sum + count, 0);
  }
}

/** Cycles between two clock readings. A lock that hands over in microtasks alone delays every timer. */
const CYCLES_PER_LOOK = 256;

/** Counts until the time is over; then every task leaves after its turn. */
async function compete(lock: OpenLock, keys: readonly string[], durationMs: number): Promise<CrowdAccount> {
  const cycles = keys.map(() => 0);
  let total = 0;
  let failures = 0;
  let account: CrowdAccount | undefined;
  const used = usageFromHere();
  const end = (): void => {
    account ??= { ...used(), cycles: [...cycles], failures };
  };
  const timer = setTimeout(end, durationMs);
  const until = performance.now() + durationMs;
  await Promise.all(
    keys.map(async (key, task) => {
      const cycle = cycleOf(lock, key);
      while (account === undefined) {
        try {
          await cycle();
          cycles[task]! += 1;
          total += 1;
          if (total % CYCLES_PER_LOOK === 0 && performance.now() >= until) end();
        } catch {
          failures += 1;
        }
      }
    }),
  );
  clearTimeout(timer);
  return account!;
}
