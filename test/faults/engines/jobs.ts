import type { PoolJob } from './contender-pool.js';

const SHORT = { tasks: 2, bodyMs: [1, 10], sampleMs: 5, restMs: 5 } as const;

/** Short holds by two processes, one of them behind the proxy; by a third, behind it too, holds that need a renewal. */
export function oneLong(resource: string, leaseMs: number): PoolJob[] {
  const long = { resource, bodyMs: [leaseMs, leaseMs * 1.4], sampleMs: 10, restMs: 50 } as const;
  return [{ ...SHORT, resource }, { ...SHORT, resource }, long];
}

/** Short holds by all, so that a call is always in flight. */
export function allShort(resource: string): PoolJob[] {
  return Array.from({ length: 3 }, () => ({ ...SHORT, resource }));
}
