import { usageFromHere } from '../figures/usage.js';
import type { Role } from './role.js';

export interface WaitOrder {
  readonly key: string;
  readonly waiters: number;
  readonly settleMs: number;
  readonly durationMs: number;
}

export interface WaitAccount {
  readonly commandsPerS: number;
  readonly cpuPercent: number;
  /** Callers that still waited at the end; the others gave up or failed. */
  readonly waiting: number;
}

/** Many callers that wait for a lock which another process keeps. They still wait when the process ends. */
export const wait: Role<WaitOrder, WaitAccount> = async (lock, order, channel) => {
  const { key, waiters, settleMs, durationMs } = order;
  await channel.ready();
  let waiting = waiters;
  const left = (): void => void (waiting -= 1);
  for (let i = 0; i < waiters; i++) lock.acquire(key).then(left, left);
  await new Promise((resolve) => setTimeout(resolve, settleMs));
  const used = usageFromHere();
  await new Promise((resolve) => setTimeout(resolve, durationMs));
  const { commands, elapsedMs, cpuMs } = used();
  return {
    commandsPerS: (1_000 * commands) / elapsedMs,
    cpuPercent: (100 * cpuMs) / elapsedMs,
    waiting,
  };
};
