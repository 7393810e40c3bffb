import { Redis } from 'ioredis';
import { WorkerProcess } from '../../processes/worker.process.js';
import { duration } from '../../report/numbers.js';
import { NotAdmittedError } from '../not-admitted.error.js';
import type { Finding, Trial } from '../trial.js';

/**
 * The holder's process is killed (SIGKILL) right after the first command of its acquisition. Does the lock ever become
 * free?
 */
export async function crash(trial: Trial): Promise<Finding> {
  const { implementation, url, key, leaseMs, timeoutMs } = trial;
  const victim = new WorkerProcess('victim', { implementation, url, key, leaseMs, fate: 'dies' });
  await victim.ready();
  const ending = await victim.workToDeath();
  if (ending !== 'SIGKILL') throw new Error(`the victim should have been killed, but ended with ${ending}`);
  const diedAt = performance.now();
  try {
    await trial.lock().run(async () => undefined, timeoutMs);
    return { isBroken: false, seen: `free again ${duration(performance.now() - diedAt)} after the crash` };
  } catch (error) {
    if (!(error instanceof NotAdmittedError)) throw error;
    return {
      isBroken: true,
      seen: `no caller got in within ${timeoutMs} ms, TTL of the key ${await ttlOf(url, key)}`,
    };
  }
}

async function ttlOf(url: string, key: string): Promise<number> {
  const client = new Redis(url);
  try {
    return await client.pttl(key);
  } finally {
    client.disconnect();
  }
}
