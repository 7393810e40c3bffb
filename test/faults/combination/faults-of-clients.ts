import type { ContenderProcess } from 'bedrock-testkit';
import type { Fault, Scene } from './fault.js';
import { pass } from './pass.js';
import { LEASE_MS } from './terms.js';

const BLOCKED_MS = 500;

/** Each in its turn, and every time while it holds the lock, or nearly so. */
async function victimOf({ crew, strikes }: Scene): Promise<ContenderProcess> {
  const victim = crew.members[strikes % crew.members.length]!;
  await crew.holds(victim);
  return victim;
}

export const CLIENT_FAULTS: readonly Fault[] = [
  {
    name: 'client stopped for two leases',
    hits: 'clients',
    async strike(scene) {
      const victim = await victimOf(scene);
      victim.signal('SIGSTOP');
      await pass(2 * LEASE_MS);
      victim.signal('SIGCONT');
    },
  },
  {
    name: 'client blocked for 500 ms',
    hits: 'clients',
    async strike(scene) {
      (await victimOf(scene)).block(BLOCKED_MS);
      await pass(BLOCKED_MS);
    },
  },
  {
    name: 'client killed',
    hits: 'clients',
    async strike(scene) {
      await scene.crew.replace(await victimOf(scene));
    },
  },
];
