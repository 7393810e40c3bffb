import { usageFromHere } from '../figures/usage.js';
import type { OpenLock } from '../libraries/open-lock.js';
import type { Role } from './role.js';
import { letGo, takeAndRenew } from './take-and-renew.js';

export interface KeepOrder {
  readonly key: string;
  readonly leases: number;
  readonly leaseMs: number;
  /** Time over which the leases are acquired, evenly, so that their renewals are spread. */
  readonly takeMs: number;
  /** Between the last grant and the measured time. */
  readonly settleMs: number;
  readonly durationMs: number;
}

export interface KeepAccount {
  readonly commandsPerS: number;
  readonly cpuPercent: number;
  readonly heapPerLease: number;
  /** Leases that the library itself reported as lost. */
  readonly failures: number;
}

/** Few enough that no client queue grows with the number of leases, which would count as their memory. */
const AT_ONCE = 50;
/**
 * Renewed once and released, so that the code is loaded before the memory measurement. All libraries renew within 1 s.
 */
const WARM_UP = { leases: 500, leaseMs: 1_000, takeMs: 300, settleMs: 1_000 };

/** Acquires many renewed leases, and holds them until the bench ends it. */
export const keep: Role<KeepOrder, KeepAccount> = async (lock, order, channel, reopen) => {
  const { leases, settleMs, durationMs } = order;
  await warmUp(await reopen({ leaseMs: WARM_UP.leaseMs }), order);
  const keys = keysOf(order);
  const kept = new Array<unknown>(leases);
  let failures = 0;
  const before = await heapInUse();
  await take(lock, order, keys, kept, () => (failures += 1));
  await pause(settleMs);
  const used = usageFromHere();
  await pause(durationMs);
  const { commands, elapsedMs, cpuMs } = used();
  const heapPerLease = ((await heapInUse()) - before) / leases;
  channel.send('measured');
  await channel.receive();
  return {
    commandsPerS: (1_000 * commands) / elapsedMs,
    cpuPercent: (100 * cpuMs) / elapsedMs,
    heapPerLease,
    failures,
  };
};

async function warmUp(lock: OpenLock, { key }: KeepOrder): Promise<void> {
  const order = { ...WARM_UP, key: `${key}warm-`, durationMs: 0 };
  const kept: unknown[] = [];
  await take(lock, order, keysOf(order), kept, () => undefined);
  await pause(order.settleMs);
  await Promise.allSettled(kept.map((one) => letGo(lock, one)));
  await lock.close();
}

async function take(
  lock: OpenLock,
  { leaseMs, takeMs }: KeepOrder,
  keys: readonly string[],
  kept: unknown[],
  onLost: () => void,
): Promise<void> {
  const from = performance.now();
  for (let at = 0; at < keys.length; at += AT_ONCE) {
    await pause(from + (takeMs * at) / keys.length - performance.now());
    const some = keys.slice(at, at + AT_ONCE);
    await Promise.all(
      some.map(async (key, i) => {
        kept[at + i] = await takeAndRenew(lock, key, leaseMs, onLost);
      }),
    );
  }
}

function keysOf({ key, leases }: KeepOrder): string[] {
  return Array.from({ length: leases }, (_, i) => `${key}${i}-`);
}

/** Live memory. Takes the least of several samples, since renewals in flight only add to it. */
async function heapInUse(): Promise<number> {
  let least = Infinity;
  for (let look = 0; look < 5; look++) {
    globalThis.gc?.();
    least = Math.min(least, process.memoryUsage().heapUsed);
    await pause(70);
  }
  return least;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
