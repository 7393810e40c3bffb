import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { NotHere } from './finding.js';
import { takeUdpPort } from './udp-port.js';

const WAIT_MS = 300_000;
const PAUSE_MS = 50;
/** Above the ports that servers are given, below those that systems give to outgoing traffic. */
const FIRST = 22_000;
const COUNT = 10_000;

/**
 * Does the work while no other process of this machine does work of the same name: Jest runs test files in several.
 * Two names of the same port would only wait for each other.
 * @throws NotHere when another process does not end in 300 s; what the work throws
 */
export async function oneAtATime<T>(name: string, work: () => Promise<T>): Promise<T> {
  const giveBack = await take(name);
  try {
    return await work();
  } finally {
    await giveBack();
  }
}

async function take(name: string): Promise<() => Promise<void>> {
  const port = portOf(name);
  const deadline = performance.now() + WAIT_MS;
  while (performance.now() < deadline) {
    const giveBack = await takeUdpPort(port);
    if (giveBack !== undefined) return giveBack;
    await sleep(PAUSE_MS);
  }
  throw new NotHere(`another process has held ${name} (UDP port ${port}) for ${WAIT_MS / 1000} s`);
}

function portOf(name: string): number {
  return FIRST + (createHash('sha256').update(`bedrock-servers ${name}`).digest().readUInt32BE() % COUNT);
}
