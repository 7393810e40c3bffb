import { startProxy } from 'bedrock-servers';
import { Presence } from '../presence.js';
import { isToldOfLoss } from '../told-of-loss.js';
import type { Finding, Trial } from '../trial.js';
import { follow } from './followers.js';

/**
 * A has decided to delete (a pause between check and deletion), and the deletion hangs on the wire for longer than the
 * lease. B gets the lock meanwhile; then the deletion arrives. Does a third caller get in while B is inside?
 */
export async function lateDelete(trial: Trial): Promise<Finding> {
  const presence = new Presence();
  const server = new URL(trial.url);
  const proxy = await startProxy(Number(server.port || 6379), server.hostname);
  const way = new URL(trial.url);
  way.host = `${proxy.host}:${proxy.port}`;
  const a = trial.lock(async (moment) => {
    if (moment === 'beforeDelete') proxy.delay(1.3 * trial.leaseMs, 'requests');
  }, way.href);
  try {
    const turn = a.run(() => presence.during('A', async () => undefined), trial.timeoutMs);
    const { haveMet: isBroken, wasBFirst } = await follow(trial, presence, isToldOfLoss(turn));
    return {
      isBroken,
      isMissed: !wasBFirst,
      seen: isBroken
        ? "the late deletion hit B's lock: B and C were inside together"
        : "the late deletion found another owner's lock and left it alone",
    };
  } finally {
    await proxy.stop();
  }
}
