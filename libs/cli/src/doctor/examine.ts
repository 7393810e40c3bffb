import type { Backend } from 'bedrock-lock';
import type { BackendAddress } from '../input/backend-address.js';
import { openBackend, type BackendSettings } from '../input/open-backend.js';
import { examineLocks } from './examine-locks.js';
import { note, type Examination, type Finding } from './findings/finding.js';
import { operationLimit } from './findings/measure.js';

/** Checks the servers one by one, and then takes a lock of each kind. @param prefix beginning of the names of locks */
export async function examine(
  address: BackendAddress,
  settings: BackendSettings,
  prefix: string,
): Promise<readonly Examination[]> {
  // Wrong options are for the user, before any server is asked.
  const backend = await openBackend(address, settings);
  const subject = backend.name;
  let isClosing = false;
  try {
    const servers = await examineServers(address, { backend, settings, prefix });
    if (!servers.some(isReached)) return servers;
    // This command would count as a process with a guard, and its longest lease would bind the applications.
    const isGuarded = settings.restartGuard === true;
    if (servers.some(({ findings }) => findings.some((one) => isOtherLease(one, isGuarded))))
      return [...servers, { subject, findings: [note('locks', 'none was taken, because of the lease')] }];
    isClosing = true;
    return [...servers, { subject, findings: await examineLocks(backend, prefix) }];
  } finally {
    if (!isClosing) await backend.close();
  }
}

/** Whether the server, or the ensemble, has answered. */
export function isReached({ findings }: Examination): boolean {
  return findings.some(({ check, state }) => check === 'reachable' && state === 'ok');
}

function isOtherLease({ check, state }: Finding, isGuarded: boolean): boolean {
  return check === 'lease' && (state === 'problem' || (state === 'note' && isGuarded));
}

interface ServerContext {
  readonly backend: Backend;
  readonly settings: BackendSettings;
  readonly prefix: string;
}

async function examineServers(
  address: BackendAddress,
  { backend, settings, prefix }: ServerContext,
): Promise<readonly Examination[]> {
  const { operationTimeoutMs: timeoutMs } = backend;
  const { maxLeaseMs } = backend.traits;
  const redisContext = {
    ...{ prefix, timeoutMs, limit: operationLimit(timeoutMs) },
    guardedLeaseMs: settings.restartGuard === true ? maxLeaseMs : undefined,
  };
  switch (address.engine) {
    case 'redis': {
      const { examineRedisServer } = await import('./redis/examine-redis.js');
      return [await examineRedisServer(address.url, { purpose: 'single', ...redisContext })];
    }
    case 'redis cluster': {
      const { examineCluster } = await import('./redis/examine-cluster.js');
      return examineCluster(address.urls, { purpose: 'cluster', ...redisContext });
    }
    case 'combination': {
      const { examineNodes } = await import('./redis/examine-nodes.js');
      return examineNodes(address, prefix, settings.operationTimeoutMs);
    }
    case 'etcd': {
      const { examineEtcd } = await import('./ensembles/examine-etcd.js');
      return examineEtcd(address, timeoutMs);
    }
    case 'zookeeper': {
      const { examineZooKeeper } = await import('./ensembles/examine-zookeeper.js');
      return examineZooKeeper(address, maxLeaseMs, timeoutMs);
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
