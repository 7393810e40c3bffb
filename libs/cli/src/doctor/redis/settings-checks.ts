import { countText } from '../findings/count-text.js';
import { note, ok, problem, type Finding } from '../findings/finding.js';
import { versionFinding } from '../findings/version-finding.js';
import type { RedisServer } from './redis-server.js';

/** What a server says of itself. */
export type SelfReport = Pick<RedisServer, 'info' | 'number'>;

/** What a server is there for: locks of its own, a part of a cluster, or a node of a combination. */
export type Purpose = 'single' | 'cluster' | 'node';

const OLDEST = { single: 6, node: 6, cluster: 7 } as const;
const FULL = 0.9;
/** So many flushes of the script cache do no harm. */
const RARE_FLUSHES = 2;
const HOUR_S = 3_600;
/** The first version with statistics of subcommands. */
const COUNTED_SINCE = 7;

export function checkVersion({ info }: SelfReport, purpose: Purpose): Finding {
  const version = info.get('redis_version');
  if (version === undefined)
    return note('version', 'unknown, as are its settings: allow this user the command INFO');
  const valkey = info.get('valkey_version');
  const name = valkey === undefined ? `Redis ${version}` : `Valkey ${valkey}`;
  return versionFinding(name, version, [OLDEST[purpose]], purpose === 'cluster' ? ' on a cluster' : '');
}

export function checkRole({ info }: RedisServer, purpose: Purpose): Finding | undefined {
  if (info.get('redis_mode') === 'sentinel')
    return problem('role', 'it is a Sentinel: give the address of the primary');
  if (info.get('cluster_enabled') === '1' && purpose !== 'cluster')
    return problem('role', 'it is a server of a cluster: name two of them in the URL');
  if (info.get('role') !== 'slave') return undefined;
  return problem('role', 'it is a replica, which grants no locks: give the address of the primary');
}

export function checkEviction({ info }: RedisServer): Finding | undefined {
  const policy = info.get('maxmemory_policy');
  if (policy === undefined) return undefined;
  return policy === 'noeviction'
    ? ok('eviction', 'maxmemory-policy is noeviction')
    : problem(
        'eviction',
        `maxmemory-policy is ${policy}, which may delete locks that are held: set it to noeviction, or give locks a server of their own`,
      );
}

export function checkMemory(server: RedisServer): Finding | undefined {
  const [most = 0, used = 0] = [server.number('maxmemory'), server.number('used_memory')];
  if (most === 0) return undefined;
  const text = `${Math.round((100 * used) / most)} % of maxmemory is in use`;
  // Where keys are evicted, a full server is nothing new.
  return used > most * FULL && server.info.get('maxmemory_policy') === 'noeviction'
    ? problem(
        'memory',
        `${text}; a full server refuses every new lock: raise maxmemory, or find what fills it`,
      )
    : ok('memory', text);
}

/** Whether a grant that was given survives a restart, or is waited for after one. */
export async function checkPersistence(
  server: RedisServer,
  purpose: Purpose,
  isGuarded: boolean,
): Promise<Finding | undefined> {
  if (purpose === 'node')
    return ok('persistence', 'a node that restarts grants nothing for maxLeaseMs, with or without its data');
  if (isGuarded) return ok('persistence', 'restartGuard: it grants nothing for maxLeaseMs after a restart');
  const isAppending = server.info.get('aof_enabled');
  if (isAppending === undefined) return undefined;
  const cure = purpose === 'single' ? ', or set restartGuard in all applications' : '';
  if (isAppending !== '1')
    return problem(
      'persistence',
      `it writes no append-only file, so held locks may be granted again after a restart: set appendonly yes${cure}`,
    );
  const policy = await setting(server, 'appendfsync');
  return policy === 'always'
    ? ok('persistence', 'every grant is on disk before it is confirmed (appendfsync always)')
    : note(
        'persistence',
        `appendfsync is ${policy ?? 'not known'}: a crash of the machine may lose the grants of the last second${cure}`,
      );
}

/** A failover loses the grants that the new primary has not received, and a primary that was cut off goes on granting. */
export function checkReplicas(
  server: RedisServer,
  purpose: Purpose,
  isGuarded: boolean,
): Finding | undefined {
  const replicas = server.number('connected_slaves') ?? 0;
  if (replicas === 0) return undefined;
  const count = countText(replicas, 'replica');
  // INFO has this field only where min-replicas-to-write is set.
  if (server.number('min_slaves_good_slaves') !== undefined)
    return ok(
      'replicas',
      `${count}; it grants no lock unless enough of them keep up (min-replicas-to-write)`,
    );
  const acks = isGuarded
    ? ''
    : ` Grants that a replica lacks are lost in a failover: set replicaAcks${purpose === 'single' ? ' or restartGuard' : ''} in the applications`;
  return problem(
    'replicas',
    `it has ${count}, and goes on granting locks when it is cut off from them: set min-replicas-to-write 1 and min-replicas-max-lag 1.${acks}`,
  );
}

/** Each process sends its scripts again after a flush. */
export function checkScripts(server: SelfReport): Finding | undefined {
  const { info } = server;
  const version = Number.parseInt(info.get('redis_version') ?? '', 10);
  if (Number.isNaN(version)) return undefined;
  if (version < COUNTED_SINCE)
    return note('scripts', `flushes are not counted before Redis ${COUNTED_SINCE}`);
  const [, calls = '0'] = /calls=(\d+)/.exec(info.get('cmdstat_script|flush') ?? '') ?? [];
  const perHour = Number(calls) / Math.max(1, (server.number('uptime_in_seconds') ?? 0) / HOUR_S);
  const evicted = server.number('evicted_scripts') ?? 0;
  if (Number(calls) > RARE_FLUSHES && perHour > 1)
    return problem(
      'scripts',
      `the script cache has been flushed ${calls} times since the server started: find the client that calls SCRIPT FLUSH`,
    );
  if (evicted > 0)
    return problem(
      'scripts',
      `the server has evicted ${evicted} scripts: another application sends a new script text with each EVAL. Pass values as arguments, or give locks a server of their own`,
    );
  return ok('scripts', 'the script cache is stable');
}

/** A setting; undefined if this user may not ask. */
async function setting(server: RedisServer, name: string): Promise<string | undefined> {
  const answer = (await server.callIfAllowed('config', 'get', name)) as readonly string[] | undefined;
  return answer?.[1];
}
