import { randomUUID } from 'node:crypto';
import { zookeeper } from 'bedrock-lock/zookeeper';
import { startZooKeeper, startZooKeeperEnsemble } from 'bedrock-servers';
import { runContendersAsProcesses, type ContractHarness } from 'bedrock-testkit';
import { OPERATION_TIMEOUT_MS } from '../times.js';
import { costsOf } from '../round-trips/costs-of.js';
import { CountedServer } from '../round-trips/counted-server.js';
import { zookeeperRequests } from '../round-trips/wire-formats.js';
import { Admin } from '../../unit/backends/session-queue/zookeeper/admin.js';

const TIMES = { operationTimeoutMs: OPERATION_TIMEOUT_MS };

/** Real processes on one real server, or on three. */
export function zookeeperHarness(count: 'one server' | 'three servers'): ContractHarness {
  let servers: { readonly connect: string; stop(): Promise<void> };
  let admin: Admin;
  let counted: CountedServer;
  return {
    name: `zookeeper, ${count}`,
    kinds: ['mutex', 'fairMutex'],
    // Up to three servers and everything else share two cores.
    handOverMs: 250,
    // The server looks for them every 250 ms.
    emptyQueueMs: 500,
    unsupported: ['records', 'holdAtLeast'],
    roundTrips: {
      costs: costsOf('zookeeper'),
      backend: async () => zookeeper({ ...TIMES, connect: `${counted.host}:${counted.port}` }),
      requests: () => counted.requests,
    },
    open: async () => {
      servers = count === 'one server' ? await oneServer() : await startZooKeeperEnsemble();
      const [host = '', port] = servers.connect.split(',')[0]!.split(':');
      counted = await CountedServer.start({ host, port: Number(port) }, zookeeperRequests);
      admin = await Admin.connect(servers.connect);
    },
    backend: async (options) => zookeeper({ connect: servers.connect, ...TIMES, ...options }),
    runContenders: (jobs) =>
      runContendersAsProcesses(
        {
          module: 'bedrock-lock/zookeeper',
          factory: 'zookeeper',
          args: [{ connect: servers.connect, ...TIMES }],
        },
        jobs,
      ),
    freshResource: () => `contract:${randomUUID()}`,
    isEmpty: async (resource) => (await admin.nodesNamed(resource)).length === 0,
    close: async () => {
      await admin.close();
      await counted.stop();
      await servers.stop();
    },
  };
}

async function oneServer(): Promise<{ readonly connect: string; stop(): Promise<void> }> {
  const server = await startZooKeeper({ shared: true });
  return { connect: `${server.host}:${server.port}`, stop: () => server.stop() };
}
