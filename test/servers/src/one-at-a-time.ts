import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { NotHere } from './finding.js';

const WAIT_MS = 300_000;

/**
 * Does the work while no other process of this machine does work of the same name: Jest runs test files in several.
 * @throws NotHere when another process does not end in 300 s; what the work throws
 */
export async function oneAtATime<T>(name: string, work: () => Promise<T>): Promise<T> {
  const lock = join(tmpdir(), `bedrock-servers.${name}.lock`);
  await take(lock);
  try {
    return await work();
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
}

async function take(lock: string): Promise<void> {
  const owner = join(lock, 'pid');
  const deadline = performance.now() + WAIT_MS;
  while (performance.now() < deadline) {
    try {
      mkdirSync(lock);
      writeFileSync(owner, String(process.pid));
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    if (isDead(owner)) rmSync(lock, { recursive: true, force: true });
    else await sleep(200);
  }
  throw new NotHere(`another process has held ${lock} for ${WAIT_MS / 1000} s`);
}

function isDead(owner: string): boolean {
  try {
    process.kill(Number(readFileSync(owner, 'utf8')), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
