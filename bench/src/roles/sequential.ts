import { percentile } from '../figures/statistics.js';
import { usageFromHere } from '../figures/usage.js';
import type { OpenLock } from '../libraries/open-lock.js';
import { cycleOf } from './cycle.js';
import type { Role } from './role.js';

export interface SequentialOrder {
  readonly key: string;
  /** Until the code is compiled: most libraries need some 4,000. */
  readonly warmUpCycles: number;
  readonly cycles: number;
  /** Tasks that warm up at once, each on a key of its own: where a cycle takes a millisecond, one alone would take too long. @default 1 */
  readonly warmUpTasks?: number;
}

export interface SequentialAccount {
  readonly p50Us: number;
  readonly p99Us: number;
  readonly cpuUsPerCycle: number;
  readonly commandsPerCycle: number;
}

/** One task that takes a free lock and gives it back, again and again. */
export const sequential: Role<SequentialOrder, SequentialAccount> = async (lock, order, line) => {
  const cycle = cycleOf(lock, order.key);
  // Before the warm-up: it throws compiled code away, which takes the longer to come back the more code a library has.
  globalThis.gc?.();
  await warmUp(lock, order);
  const samples = new Float64Array(order.cycles);
  await line.ready();
  const used = usageFromHere();
  for (let i = 0; i < order.cycles; i++) {
    const from = performance.now();
    await cycle();
    samples[i] = performance.now() - from;
  }
  const { cpuMs, commands } = used();
  return {
    p50Us: percentile(samples, 0.5) * 1_000,
    p99Us: percentile(samples, 0.99) * 1_000,
    cpuUsPerCycle: (1_000 * cpuMs) / order.cycles,
    commandsPerCycle: commands / order.cycles,
  };
};

/** Ends as what counts begins: with one task, on its key. */
async function warmUp(
  lock: OpenLock,
  { key, warmUpCycles, warmUpTasks = 1 }: SequentialOrder,
): Promise<void> {
  const repeat = async (name: string, times: number): Promise<void> => {
    const cycle = cycleOf(lock, name);
    for (let i = 0; i < times; i++) await cycle();
  };
  const others = Array.from({ length: warmUpTasks - 1 }, (_, i) => `${key}-${i}`);
  const each = Math.ceil(warmUpCycles / warmUpTasks);
  await Promise.all(others.map((name) => repeat(name, each)));
  await repeat(key, each);
}
