import type { BackendAddress, CombinationAddress } from '../input/backend-address.js';
import { openBackend, type BackendSettings } from '../input/open-backend.js';
import { examineLocks } from './examine-locks.js';
import { note, type Examination } from './findings/finding.js';

/** The defaults of the library, in ms. */
const DEFAULT_TIMEOUT_MS = 1_000;
const DEFAULT_GUARDED_LEASE_MS = 30_000;
const DEFAULT_ZOOKEEPER_LEASE_MS = 26_000;

/** Looks at the servers one by one, and then takes a lock of each kind. @param prefix what names of locks begin with */
export async function examine(
  address: BackendAddress,
  settings: BackendSettings,
  prefix: string,
): Promise<readonly Examination[]> {
  // Wrong options are for the user, before any server is asked.
  const backend = await openBackend(address, settings);
  let servers: readonly Examination[];
  try {
    servers = await examineServers(address, settings, prefix);
  } catch (error) {
    await backend.close();
    throw error;
  }
  if (
    servers.every(({ findings }) =>
      findings.every(({ check }) => check === 'reachable' || check === 'members'),
    )
  ) {
    await backend.close();
    return servers;
  }
  return [...servers, { subject: backend.name, findings: await examineLocks(backend, prefix) }];
}

async function examineServers(
  address: BackendAddress,
  settings: BackendSettings,
  prefix: string,
): Promise<readonly Examination[]> {
  const timeoutMs = settings.operationTimeoutMs ?? DEFAULT_TIMEOUT_MS;
  switch (address.engine) {
    case 'redis': {
      const { examineServer } = await import('./redis/examine-redis.js');
      const isGuarded = settings.restartGuard === true;
      const guardedLeaseMs = isGuarded ? (settings.maxLeaseMs ?? DEFAULT_GUARDED_LEASE_MS) : undefined;
      const context = { purpose: 'single' as const, prefix, timeoutMs, guardedLeaseMs };
      return [await examineServer(address.url, context)];
    }
    case 'redis cluster': {
      const { examineCluster } = await import('./redis/examine-cluster.js');
      const context = { purpose: 'cluster' as const, prefix, timeoutMs, guardedLeaseMs: undefined };
      return examineCluster(address.urls, context);
    }
    case 'combination':
      return examineNodes(address, prefix, timeoutMs);
    case 'etcd': {
      const { examineEtcd } = await import('./ensembles/examine-etcd.js');
      return examineEtcd(address, timeoutMs);
    }
    case 'zookeeper': {
      const { examineZooKeeper } = await import('./ensembles/examine-zookeeper.js');
      return examineZooKeeper(address, settings.maxLeaseMs ?? DEFAULT_ZOOKEEPER_LEASE_MS, timeoutMs);
    }
    case 'postgres': {
      const { examinePostgres } = await import('./databases/examine-postgres.js');
      return [await examinePostgres(address.url, settings, timeoutMs)];
    }
    case 'mysql': {
      const { examineMysql } = await import('./databases/examine-mysql.js');
      return [await examineMysql(address.url, settings, timeoutMs)];
    }
  }
}

/** Nodes have to fail one by one. */
async function examineNodes(
  { nodes, maxLeaseMs }: CombinationAddress,
  prefix: string,
  timeoutMs: number,
): Promise<readonly Examination[]> {
  const { examineServer } = await import('./redis/examine-redis.js');
  const context = { purpose: 'node' as const, prefix, timeoutMs, guardedLeaseMs: maxLeaseMs };
  const examined = await Promise.all(nodes.map(({ id, url }) => examineServer(url, context, id)));
  const hosts = nodes.map(({ url }) => (URL.canParse(url) ? new URL(url).hostname : url));
  const shared = hosts.filter((host, at) => hosts.indexOf(host) !== at);
  if (shared.length === 0) return examined;
  const finding = note(
    'members',
    `several nodes are on ${[...new Set(shared)].join(', ')}: they fail together`,
  );
  return [{ subject: 'combination', findings: [finding] }, ...examined];
}
