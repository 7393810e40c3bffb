import { Redis } from 'ioredis';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { FAULTS, type FaultName } from './faults.js';
import type { ImplementationName } from './implementations.js';
import { Trial, type Finding } from './trial.js';

export interface TrialInput {
  readonly implementation: ImplementationName;
  readonly fault: FaultName;
  readonly url: string;
  readonly prefix: string;
  readonly leaseMs: number;
}

export type TrialResult = TrialInput & Finding;

/** The last try has a lease 32 times as long: a process under load may stall for hundreds of ms. */
const TRIES = 6;

/**
 * Runs one trial. If the fault missed, or this process itself stalled for a good part of a lease, the trial proves
 * nothing. It is then repeated with a lease twice as long.
 */
export async function runTrial(input: TrialInput): Promise<TrialResult> {
  const unproven: string[] = [];
  for (let tries = 1, leaseMs = input.leaseMs; tries <= TRIES; tries += 1, leaseMs *= 2) {
    const stalls = monitorEventLoopDelay({ resolution: 5 });
    stalls.enable();
    const [outcome] = await Promise.allSettled([
      runOnce({ ...input, leaseMs, prefix: `${input.prefix}${tries}:` }),
    ]);
    stalls.disable();
    const stallMs = stalls.max / 1e6;
    if (stallMs >= leaseMs / 5) {
      unproven.push(`stalled for ${stallMs.toFixed(0)} ms with a lease of ${leaseMs}`);
      continue;
    }
    if (outcome.status === 'rejected') throw outcome.reason;
    if (outcome.value.isMissed !== true) return { ...input, ...outcome.value };
    unproven.push(`the fault missed with a lease of ${leaseMs} ms`);
  }
  const { implementation, fault } = input;
  throw new Error(
    `this machine is too busy to test time-outs (${implementation}, ${fault}: ${unproven.join('; ')}); retry, or raise --lease-ms`,
  );
}

async function runOnce({ implementation, fault, url, prefix, leaseMs }: TrialInput): Promise<Finding> {
  const key = `${prefix}${implementation}:${fault}`.replaceAll(' ', '-');
  const trial = new Trial(implementation, url, key, leaseMs);
  try {
    return await FAULTS[fault](trial);
  } finally {
    await trial.close();
    await remove(url, [key, `${key}:register`]);
  }
}

/** Removes what a broken lock left on the server. */
async function remove(url: string, keys: readonly string[]): Promise<void> {
  const client = new Redis(url);
  await client.del(...keys).finally(() => client.disconnect());
}
