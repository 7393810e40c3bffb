import type { ContenderProcess } from 'bedrock-testkit';
import type { Fault, InjectionDeps } from './fault.js';
import { delay } from './delay.js';
import { LEASE_MS } from './settings.js';

const BLOCKED_MS = 500;

/** Each in its turn, and every time while it holds the lock, or nearly so. */
async function targetOf({ pool, round }: InjectionDeps): Promise<ContenderProcess> {
  const target = pool.processes[round % pool.processes.length]!;
  await pool.waitForLock(target);
  return target;
}

export const CLIENT_FAULTS: readonly Fault[] = [
  {
    name: 'client stopped for two leases',
    hits: 'clients',
    async inject(deps) {
      const target = await targetOf(deps);
      target.signal('SIGSTOP');
      await delay(2 * LEASE_MS);
      target.signal('SIGCONT');
    },
  },
  {
    name: 'client blocked for 500 ms',
    hits: 'clients',
    async inject(deps) {
      (await targetOf(deps)).block(BLOCKED_MS);
      await delay(BLOCKED_MS);
    },
  },
  {
    name: 'client killed',
    hits: 'clients',
    async inject(deps) {
      await deps.pool.replace(await targetOf(deps));
    },
  },
];
