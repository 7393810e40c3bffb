import { note, ok, problem, type Finding } from '../findings/finding.js';
import type { RedisServer } from './redis-server.js';

/** What a server is there for: locks of its own, a part of a cluster, or a node of a combination. */
export type Purpose = 'single' | 'cluster' | 'node';

const OLDEST = { single: 6, node: 6, cluster: 7 } as const;
const FULL = 0.9;
/** So many flushes of the script cache do no harm. */
const RARE_FLUSHES = 2;
const HOUR_S = 3_600;

export function checkVersion({ info }: RedisServer, purpose: Purpose): Finding {
  const version = info.get('redis_version');
  if (version === undefined)
    return note('version', 'unknown, as are its settings: allow this user the command INFO');
  const valkey = info.get('valkey_version');
  const name = valkey === undefined ? `Redis ${version}` : `Valkey ${valkey}`;
  const oldest = OLDEST[purpose];
  return Number.parseInt(version, 10) >= oldest
    ? ok('version', name)
    : problem(
        'version',
        `${name}: ${oldest} or newer is needed${purpose === 'cluster' ? ' on a cluster' : ''}`,
      );
}

export function checkRole({ info }: RedisServer): Finding | undefined {
  if (info.get('role') !== 'slave') return undefined;
  return problem('role', 'it is a replica, which takes no locks: give the address of the primary');
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
  return used > most * FULL
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
      `it writes no append-only file, so a restart grants locks again that are held: set appendonly yes${cure}`,
    );
  const policy = await setting(server, 'appendfsync');
  return policy === 'always'
    ? ok('persistence', 'every grant is on its disk (appendfsync always)')
    : note(
        'persistence',
        `appendfsync is ${policy ?? 'not known'}: a crash of the machine may lose the grants of the last second${cure}`,
      );
}

/** A failover to a replica loses what the replica does not have. */
export function checkReplicas(server: RedisServer): Finding | undefined {
  const replicas = server.number('connected_slaves') ?? 0;
  if (replicas === 0) return undefined;
  const count = replicas === 1 ? 'a replica' : `${replicas} replicas`;
  // INFO has this field only where min-replicas-to-write is set.
  return server.number('min_slaves_good_slaves') === undefined
    ? problem(
        'replicas',
        `it has ${count} and does not wait for any: a failover may grant a held lock again. Set min-replicas-to-write 1 and min-replicas-max-lag 1, and replicaAcks in the applications`,
      )
    : ok('replicas', `${count}; without one that follows it takes no locks (min-replicas-to-write)`);
}

/** Each process sends its scripts again after a flush. */
export function checkScripts(server: RedisServer): Finding | undefined {
  const { info } = server;
  if (info.size === 0) return undefined;
  const [, calls = '0'] = /calls=(\d+)/.exec(info.get('cmdstat_script|flush') ?? '') ?? [];
  const perHour = Number(calls) / Math.max(1, (server.number('uptime_in_seconds') ?? 0) / HOUR_S);
  const evicted = server.number('evicted_scripts') ?? 0;
  if (Number(calls) > RARE_FLUSHES && perHour > 1)
    return problem(
      'scripts',
      `its script cache has been flushed ${calls} times since it started: find out who calls SCRIPT FLUSH or FUNCTION FLUSH`,
    );
  if (evicted > 0)
    return problem(
      'scripts',
      `it has evicted ${evicted} scripts: another application sends ever new texts by EVAL; give it arguments instead, or a server of its own`,
    );
  return ok('scripts', 'its script cache is left alone');
}

/** A setting; undefined if this user may not ask. */
async function setting(server: RedisServer, name: string): Promise<string | undefined> {
  const answer = (await server.callIfAllowed('config', 'get', name)) as readonly string[] | undefined;
  return answer?.[1];
}
