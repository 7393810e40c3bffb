import { startEtcd } from 'bedrock-servers';
import { liveness } from 'bedrock-testkit';
import { startDeadQueue } from '../../../../support/dead-queue.js';
import { EtcdFixture } from './fixture.js';

const fixture = new EtcdFixture();

afterEach(() => fixture.clean());

it('a holder that dies with two waiters behind it frees the lock a second after its lease', async () => {
  const server = await startEtcd({ shared: true });
  const options = { hosts: server.url };
  const leaseMs = 1_500;
  const line = await startDeadQueue({
    source: { module: 'bedrock-lock/etcd', factory: 'etcd', args: [options] },
    backend: await fixture.backend(options),
    resource: fixture.fresh(),
    leaseMs,
  });
  // Two whole seconds are the life of such a lease in etcd, which looks every half second for those that have ended.
  await liveness.within('the survivor is served', leaseMs + 1_000 + 100, () => line.servedAfterDeath());
  await line.close();
  await server.stop();
}, 60_000);
