import { Bedrock, type Lease, type Lock, type LockOptions } from 'bedrock-lock';
import { combination, type CombinationOptions } from 'bedrock-lock/combination';
import { memory } from 'bedrock-lock/memory';
import { redis, type RedisOptions } from 'bedrock-lock/redis';
import './client.js';
import type { OpenLockOptions, OpenLock } from './open-lock.js';

/** A row's difference from Bedrock with default options. */
interface Variant {
  readonly backend?: RedisOptions;
  /** For several nodes. */
  readonly nodes?: Partial<CombinationOptions>;
  readonly lock?: LockOptions;
  /** True to use `run` instead of `acquire` and `release`. */
  readonly byRun?: boolean;
  /** @default 'mutex' */
  readonly kind?: 'mutex' | 'fairMutex';
  readonly observe?: (bedrock: Bedrock) => void;
  /** True to lock in memory. */
  readonly isLocal?: boolean;
}

/** Bedrock with default options, by `acquire` and `release`. */
export const open = (options: OpenLockOptions): Promise<OpenLock<Lease, Lease>> => openBedrock(options, {});

export const openByRun = (options: OpenLockOptions): Promise<OpenLock<Lease, Lease>> =>
  openBedrock(options, { byRun: true });

export const openWithoutTokens = (options: OpenLockOptions): Promise<OpenLock<Lease, Lease>> =>
  openBedrock(options, { lock: { fencing: false } });

export const openGuarded = (options: OpenLockOptions): Promise<OpenLock<Lease, Lease>> =>
  openBedrock(options, { backend: { restartGuard: true, coldStart: 'trust' } });

export const openFair = (options: OpenLockOptions): Promise<OpenLock<Lease, Lease>> =>
  openBedrock(options, { kind: 'fairMutex' });

export const openSequential = (options: OpenLockOptions): Promise<OpenLock<Lease, Lease>> =>
  openBedrock(options, { nodes: { contention: 'sequential' } });

export const openMajority = (options: OpenLockOptions): Promise<OpenLock<Lease, Lease>> =>
  openBedrock(options, { nodes: { strategy: 'majority' } });

/** In memory, where nothing but the library costs time; the Bedrock is given away before it locks. */
export const openInMemory = (
  options: OpenLockOptions,
  observe: (bedrock: Bedrock) => void = () => undefined,
): Promise<OpenLock<Lease, Lease>> => openBedrock(options, { observe, isLocal: true });

async function openBedrock(
  { url, nodes, leaseMs }: OpenLockOptions,
  { backend, nodes: rules, lock, byRun, kind = 'mutex', observe, isLocal = false }: Variant,
): Promise<OpenLock<Lease, Lease>> {
  const bedrock = new Bedrock({
    backend: isLocal
      ? memory()
      : nodes === undefined
        ? redis({ url, ...backend })
        : combination({ coldStart: 'trust', ...rules, nodes: nodes.map((node) => redis(node)) }),
    defaults: { leaseMs, waitMs: Infinity, ...lock },
  });
  await bedrock.ready();
  observe?.(bedrock);
  // A lock is created once and reused.
  const locks = new Map<string, Lock>();
  const create = (key: string): Lock => {
    const lock = bedrock[kind](key);
    locks.set(key, lock);
    return lock;
  };
  const many = bedrock[kind]('bench');
  const lockOf = (key: string): Lock => locks.get(key) ?? create(key);
  return {
    acquire: (key) => lockOf(key).acquire(),
    release: (lease) => lease.release(),
    ...(byRun === true && { run: (key: string, body: () => Promise<void> | void) => lockOf(key).run(body) }),
    // One key of many: a narrowed lock registers nothing.
    keep: (key) => many.for(key).acquire(),
    letGo: (lease) => lease.release(),
    close: () => bedrock.close(),
  };
}
