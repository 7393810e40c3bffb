import { Bedrock } from 'bedrock-lock';
import { redis } from 'bedrock-lock/redis';
import './client.js';
import { noLock, type OpenLockOptions, type OpenLock } from './open-lock.js';

/** The countdown latch: closed at 1, open at 0. */
export async function open({ url }: OpenLockOptions): Promise<OpenLock<never>> {
  const bedrock = new Bedrock({ backend: redis({ url }) });
  await bedrock.ready();
  const latches = bedrock.countdownLatch('bench', { waitMs: Infinity });
  return {
    ...noLock('a latch'),
    shut: (key) => latches.for(key).trySetCount(1),
    open: (key) => latches.for(key).countDown(),
    pass: (key) => latches.for(key).await(),
    close: () => bedrock.close(),
  };
}
