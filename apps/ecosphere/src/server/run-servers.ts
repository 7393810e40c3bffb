import type { CombinationOptions } from 'bedrock-lock/combination';
import type { SharedMemory } from './shared-memory.js';

/** Where a run takes place: the server, or the memory, that all its processes share. */
export type RunServers =
  | { readonly kind: 'memory'; readonly memory: SharedMemory }
  | ({ readonly kind: 'redis' } & DataLocation)
  | ({ readonly kind: 'combination'; readonly rules: CombinationRules } & DataLocation)
  | ({ readonly kind: 'engine'; readonly engine: EngineName; readonly locksUrl: string } & DataLocation);

/** Servers that can have the locks, beside the Redis that has the data. */
export const ENGINE_NAMES = ['zookeeper', 'etcd', 'mysql', 'postgres'] as const;
export type EngineName = (typeof ENGINE_NAMES)[number];

/** The Redis that keeps the data of the application; unless the servers say where else, it has the locks too. */
interface DataLocation {
  readonly url: string;
  /** Put before every key, so that two runs on one server never meet. */
  readonly prefix: string;
}

/** One node: what every process needs to know of it. */
export interface NodeLocation {
  readonly url: string;
  /** Without it, its host and port. */
  readonly nodeId?: string;
}

/** What the processes of a run must agree on. */
export type CombinationRules = Pick<CombinationOptions, 'strategy' | 'contention' | 'maxLeaseMs'> & {
  readonly locations: readonly NodeLocation[];
};

/** Life of a lease where the command line says nothing, in ms. That of a combination is also a node's quarantine. */
export function usualLeaseMs({ kind }: RunServers): number {
  return kind === 'combination' ? COMBINATION_LEASE_MS : 10_000;
}

/** Short enough that a node that was restarted serves again before the run is over. */
export const COMBINATION_LEASE_MS = 500;
