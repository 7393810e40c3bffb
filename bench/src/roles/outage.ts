import { percentile } from '../figures/statistics.js';
import { cycleOf } from './cycle.js';
import type { Role } from './role.js';

export interface OutageOrder {
  readonly key: string;
  readonly warmUpCycles: number;
  readonly cycles: number;
}

/** Measurements before the outage, and in each of its stages. */
export interface OutageAccount {
  readonly p50Us: readonly number[];
  /** The longest cycle of all, including the one that noticed a stage. */
  readonly longestMs: number;
}

export const STAGES = ['healthy', 'hung', 'dead'] as const;
/** A stage is measured after this time, in ms, by which it has been noticed. */
const NOTICED_MS = 300;

/** One task that acquires and releases a free lock, while the bench breaks one of the nodes. */
export const outage: Role<OutageOrder, OutageAccount> = async (lock, order, channel) => {
  const cycle = cycleOf(lock, order.key);
  let longestMs = 0;
  const timed = async (): Promise<number> => {
    const from = performance.now();
    await cycle();
    const ms = performance.now() - from;
    longestMs = Math.max(longestMs, ms);
    return ms;
  };
  for (let i = 0; i < order.warmUpCycles; i++) await cycle();
  const p50Us: number[] = [];
  for (let stage = 0; stage < STAGES.length; stage++) {
    await channel.ready();
    for (const until = performance.now() + NOTICED_MS; performance.now() < until;) await timed();
    const samples = new Float64Array(order.cycles);
    for (let i = 0; i < order.cycles; i++) samples[i] = await timed();
    p50Us.push(percentile(samples, 0.5) * 1_000);
  }
  return { p50Us, longestMs };
};
