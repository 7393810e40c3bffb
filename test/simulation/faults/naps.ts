import type { FaultDeps } from './faults.js';

const SHORTEST_MS = 100;

/** Lets the machine of a process sleep, or stand still; in one case of three its network is silent when it wakes up. */
export function putToSleep({ system, prng, clients }: Omit<FaultDeps, 'replace'>): void {
  const { promised, longestNapMs, leaseMs, operationTimeoutMs } = system.scenario;
  // Short naps are as frequent as long ones.
  const ms = SHORTEST_MS * (longestNapMs / SHORTEST_MS) ** prng.next();
  const silentMs = prng.chance(1 / 3) ? prng.between(0.5, 3) * operationTimeoutMs : 0;
  const awake = clients.filter(({ process }) => !process.isResting);
  if (awake.length === 0) return;
  const { process, machine } = prng.pick(awake);
  system.isTidy = false;
  // What it had ends by itself.
  system.recordDisruption(ms + silentMs + leaseMs + 1_000);
  if (promised === 'guarded writes') process.freeze(ms);
  else process.suspend(ms);
  if (silentMs > 0)
    system.world.after(ms, () => {
      for (const node of system.nodes) system.path(machine, node).close(silentMs);
    });
}
