import { liveness } from 'bedrock-testkit';
import { startDeadQueue } from '../../../../support/dead-queue.js';
import { fresh, ZooKeeperFixture } from './fixture.js';

const fixture = new ZooKeeperFixture();

beforeAll(() => fixture.start());
afterEach(() => fixture.clean());
afterAll(() => fixture.stop());

it('a holder that dies with two waiters behind it frees the lock a second after its lease', async () => {
  const leaseMs = 1_500;
  const line = await startDeadQueue({
    source: { module: 'bedrock-lock/zookeeper', factory: 'zookeeper', args: [fixture.connect] },
    backend: await fixture.backend(),
    resource: fresh(),
    leaseMs,
  });
  // Such a session lives for one and a half times the lease, and up to two ticks of 200 ms more.
  await liveness.within('the survivor is served', leaseMs + 1_000 + 100, () => line.servedAfterDeath());
  await line.close();
}, 60_000);
