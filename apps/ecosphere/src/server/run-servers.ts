import type { CombinationOptions } from 'bedrock-lock/combination';
import type { SharedMemory } from './shared-memory.js';

/** The server, or the memory, that all processes of a run share. */
export type RunServers =
  | { readonly kind: 'memory'; readonly memory: SharedMemory }
  | ({ readonly kind: 'redis' } & DataLocation)
  | ({ readonly kind: 'combination'; readonly rules: CombinationRules } & DataLocation)
  | ({ readonly kind: 'engine'; readonly engine: EngineName; readonly locksUrl: string } & DataLocation);

/** Servers that can keep the locks, besides the Redis with the data. */
export const ENGINE_NAMES = ['zookeeper', 'etcd', 'mysql', 'postgres'] as const;
export type EngineName = (typeof ENGINE_NAMES)[number];

/** The Redis with the data of the application, and with the locks unless the servers name another place. */
interface DataLocation {
  readonly url: string;
  /** Put before every key, so that two runs on one server never meet. */
  readonly prefix: string;
  /** Longest request for a lock, in ms; in a combination, to a node. @default the backend's */
  readonly operationTimeoutMs?: number;
}

/** One node, as every process must know it. */
export interface NodeLocation {
  readonly url: string;
  /** @default its host and port */
  readonly nodeId?: string;
}

/** Settings that the processes of a run must share. */
export type CombinationRules = Pick<CombinationOptions, 'strategy' | 'contention' | 'maxLeaseMs'> & {
  readonly locations: readonly NodeLocation[];
};

/** Default lease, in ms. For a combination, it is also a node's quarantine. */
export function usualLeaseMs({ kind }: RunServers): number {
  return kind === 'combination' ? COMBINATION_LEASE_MS : 10_000;
}

/** Short enough for a restarted node to serve again before the run is over. */
export const COMBINATION_LEASE_MS = 500;
