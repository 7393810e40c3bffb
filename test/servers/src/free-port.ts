import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { reserve } from './reserved-ports.js';

/**
 * Below the ephemeral range of Linux (32768 and up): a port from `listen(0)` could be taken by an outgoing
 * connection while its server restarts, and a client that redials it could connect to itself.
 * Room is left for Redis Cluster, whose bus is the port + 10000.
 * Above 10080, the highest port that `fetch` and browsers refuse to call (https://fetch.spec.whatwg.org/#bad-port).
 */
export const PORTS = { first: 10_100, end: 22_000 };

/** A TCP port of 127.0.0.1 that no process listens on now, and that no other test process will be given. */
export async function freePort(): Promise<number> {
  return (await freePorts(1))[0]!;
}

/** Different ports; at each of `offsets` from them, no process listens either. */
export async function freePorts(count: number, offsets: readonly number[] = [0]): Promise<number[]> {
  const ports = new Set<number>();
  for (let tries = 0; tries < 100 * count; tries++) {
    const port = randomInt(PORTS.first, PORTS.end);
    if (!(await reserve(port))) continue;
    const free = await Promise.all(offsets.map((offset) => isFree(port + offset)));
    if (free.every(Boolean)) ports.add(port);
    if (ports.size === count) return [...ports];
  }
  throw new Error(`no ${count} free ports between ${PORTS.first} and ${PORTS.end} on 127.0.0.1`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
