import { randomUUID } from 'node:crypto';
import { etcd } from 'bedrock-lock/etcd';
import { etcdCall, startEtcd, startEtcdEnsemble } from 'bedrock-servers';
import { runContendersAsProcesses, type ContractHarness } from 'bedrock-testkit';
import { OPERATION_TIMEOUT_MS } from '../times.js';
import { costsOf } from '../round-trips/costs-of.js';
import { CountedServer } from '../round-trips/counted-server.js';
import { etcdRequests } from '../round-trips/wire-formats.js';

const PREFIX = 'bedrock/';
const OPTIONS = { prefix: PREFIX, operationTimeoutMs: OPERATION_TIMEOUT_MS };

/** Real processes on one real server, or on three. */
export function etcdHarness(servers: 'one server' | 'three servers'): ContractHarness {
  let hosts: string[];
  let counted: CountedServer;
  let stop: () => Promise<void>;
  return {
    name: `etcd, ${servers}`,
    kinds: ['mutex', 'fairMutex'],
    // Every change waits for the disk, and servers and everything else share two cores.
    handOverMs: 250,
    unsupported: ['counters', 'permits', 'records', 'holdAtLeast'],
    roundTrips: {
      costs: costsOf('etcd'),
      // `Backend.commands` counts a stream of watches once, when it is opened.
      isReported: false,
      backend: async () => etcd({ ...OPTIONS, hosts: counted.through(hosts[0]!) }),
      requests: () => counted.requests,
    },
    open: async () => {
      if (servers === 'one server') {
        const server = await startEtcd({ shared: true });
        hosts = [server.url];
        stop = () => server.stop();
      } else {
        const ensemble = await startEtcdEnsemble();
        hosts = ensemble.urls;
        stop = () => ensemble.stop();
      }
      const { hostname: host, port } = new URL(hosts[0]!);
      counted = await CountedServer.start({ host, port: Number(port) }, etcdRequests);
    },
    backend: async (options) => etcd({ hosts, ...OPTIONS, ...options }),
    runContenders: (jobs) =>
      runContendersAsProcesses(
        { module: 'bedrock-lock/etcd', factory: 'etcd', args: [{ hosts, ...OPTIONS }] },
        jobs,
      ),
    freshResource: () => `etcd:${randomUUID()}`,
    isEmpty: async (resource) => {
      const found = await keysOf(hosts[0]!, PREFIX);
      return !found.some((key) => key.includes(encodeURIComponent(resource)));
    },
    close: async () => {
      await counted.stop();
      await stop();
    },
  };
}

/** All keys that begin so. */
export async function keysOf(url: string, prefix: string): Promise<string[]> {
  const end = prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1);
  const asked = { key: btoa(prefix), range_end: btoa(end), keys_only: true };
  const { kvs = [] } = (await etcdCall(url, 'kv/range', asked)) as { kvs?: { key: string }[] };
  return kvs.map(({ key }) => atob(key));
}
