import { percentile } from '../figures/statistics.js';
import { usageFromHere } from '../figures/usage.js';
import { cycleOf } from './cycle.js';
import type { Role } from './role.js';

export interface SequentialOrder {
  readonly key: string;
  /** Until the code is compiled: most libraries need some 4,000. */
  readonly warmUpCycles: number;
  readonly cycles: number;
}

export interface SequentialAccount {
  readonly p50Us: number;
  readonly p99Us: number;
  readonly cpuUsPerCycle: number;
  readonly commandsPerCycle: number;
}

/** One task that repeatedly acquires and releases a free lock. */
export const sequential: Role<SequentialOrder, SequentialAccount> = async (lock, order, channel) => {
  const cycle = cycleOf(lock, order.key);
  // Before the warm-up, since it discards compiled code. The more code a library has, the longer its recompilation
  // takes.
  globalThis.gc?.();
  for (let i = 0; i < order.warmUpCycles; i++) await cycle();
  const samples = new Float64Array(order.cycles);
  await channel.ready();
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
