import type { FaultGround } from './faults.js';

const SHORTEST_MS = 100;

/** Lets the machine of a process sleep, or stand still; in one case of three its network is silent when it wakes up. */
export function putToSleep({ site, prng, clients }: Omit<FaultGround, 'replace'>): void {
  const { promised, longestNapMs, leaseMs, operationTimeoutMs } = site.scenario;
  // Short naps are as frequent as long ones.
  const ms = SHORTEST_MS * (longestNapMs / SHORTEST_MS) ** prng.next();
  const silentMs = prng.chance(1 / 3) ? prng.between(0.5, 3) * operationTimeoutMs : 0;
  const awake = clients.filter(({ process }) => !process.isResting);
  if (awake.length === 0) return;
  const { process, machine } = prng.pick(awake);
  site.isTidy = false;
  // What it had ends by itself.
  site.trouble(ms + silentMs + leaseMs + 1_000);
  if (promised === 'guarded writes') process.freeze(ms);
  else process.suspend(ms);
  if (silentMs > 0)
    site.world.after(ms, () => {
      for (const node of site.nodes) site.path(machine, node).close(silentMs);
    });
}
