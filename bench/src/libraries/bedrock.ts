import { Bedrock, type Lease, type LockOptions, type Mutex } from 'bedrock-lock';
import { redis, type RedisOptions } from 'bedrock-lock/redis';
import './client.js';
import type { LockTerms, OpenLock } from './open-lock.js';

/** How a row differs from Bedrock as it comes. */
interface Variant {
  readonly backend?: RedisOptions;
  readonly lock?: LockOptions;
  /** By `run` instead of `acquire` and `release`. */
  readonly byRun?: boolean;
}

/** Bedrock as it comes, by `acquire` and `release`. */
export const open = (terms: LockTerms): Promise<OpenLock<Lease, Lease>> => openBedrock(terms, {});

export const openByRun = (terms: LockTerms): Promise<OpenLock<Lease, Lease>> =>
  openBedrock(terms, { byRun: true });

export const openWithoutTokens = (terms: LockTerms): Promise<OpenLock<Lease, Lease>> =>
  openBedrock(terms, { lock: { fencing: false } });

export const openGuarded = (terms: LockTerms): Promise<OpenLock<Lease, Lease>> =>
  openBedrock(terms, { backend: { restartGuard: true, coldStart: 'trust' } });

async function openBedrock(
  { url, leaseMs }: LockTerms,
  { backend, lock, byRun }: Variant,
): Promise<OpenLock<Lease, Lease>> {
  const bedrock = new Bedrock({
    backend: redis({ url, ...backend }),
    defaults: { leaseMs, waitMs: Infinity, ...lock },
  });
  await bedrock.ready();
  // A lock is created once and used from then on.
  const mutexes = new Map<string, Mutex>();
  const create = (key: string): Mutex => {
    const mutex = bedrock.mutex(key);
    mutexes.set(key, mutex);
    return mutex;
  };
  const many = bedrock.mutex('bench');
  const mutexOf = (key: string): Mutex => mutexes.get(key) ?? create(key);
  return {
    acquire: (key) => mutexOf(key).acquire(),
    release: (lease) => lease.release(),
    ...(byRun === true && { run: (key: string, body: () => Promise<void> | void) => mutexOf(key).run(body) }),
    // One of many: a narrowed lock registers nothing.
    keep: (key) => many.for(key).acquire(),
    letGo: (lease) => lease.release(),
    close: () => bedrock.close(),
  };
}
