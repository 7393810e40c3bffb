import { randomUUID } from 'node:crypto';
import type { BenchServers } from './scenario.js';

/** The servers of a run. Its keys never collide with other keys, and need no escaping by a library. */
export function benchServers(url: string, engines: Pick<BenchServers, 'urlOf'>): BenchServers {
  const prefix = `bench-${randomUUID().slice(0, 8)}-`;
  let made = 0;
  return { url, freshKey: () => `${prefix}${made++}`, urlOf: (engine) => engines.urlOf(engine) };
}
