import type { Backend } from 'bedrock-lock';
import { UsageError } from './usage-error.js';
import type { BackendAddress } from './backend-address.js';

/** Settings that have to be those of the applications that use the same locks. Undefined where they were not given. */
export interface BackendSettings {
  /** Shown to others as the label of the holder. */
  readonly label: string;
  readonly maxLeaseMs: number | undefined;
  readonly operationTimeoutMs: number | undefined;
  /** Redis. */
  readonly restartGuard: true | undefined;
  /** ZooKeeper. */
  readonly root: string | undefined;
  /** PostgreSQL and MySQL. */
  readonly tablePrefix: string | undefined;
  /** PostgreSQL. */
  readonly schema: string | undefined;
  /** PostgreSQL. */
  readonly throughPooler: true | undefined;
  /** Advisory or named locks of sessions instead of rows: PostgreSQL and MySQL. */
  readonly sessions: true | undefined;
  /** Make the tables where they are missing: PostgreSQL and MySQL. */
  readonly createTables: true | undefined;
}

type Engine = BackendAddress['engine'];

/** The option of the command line, and the engines that have it. */
const ENGINES_OF: readonly (readonly [keyof BackendSettings, string, readonly Engine[]])[] = [
  ['restartGuard', '--restart-guard', ['redis']],
  ['root', '--root', ['zookeeper']],
  ['tablePrefix', '--table-prefix', ['postgres', 'mysql']],
  ['createTables', '--create-tables', ['postgres', 'mysql']],
  ['schema', '--schema', ['postgres']],
  ['throughPooler', '--through-pooler', ['postgres']],
  ['sessions', '--sessions', ['postgres', 'mysql']],
];

/** Settings of rows, which locks of sessions have no use for; the tokens of PostgreSQL's come from a sequence of the schema. */
const NOT_OF_SESSIONS: readonly (readonly [keyof BackendSettings, string, readonly Engine[]])[] = [
  ['createTables', '--create-tables', ['mysql']],
  ['throughPooler', '--through-pooler', ['postgres']],
  ['tablePrefix', '--table-prefix', ['mysql']],
];

/**
 * Connects nothing yet, but for the tables that are to be made.
 * @throws UsageError for an option that the engine does not have; InvalidOptionError; BackendUnavailableError
 */
export async function openBackend(address: BackendAddress, settings: BackendSettings): Promise<Backend> {
  const { engine } = address;
  checkSettings(engine, settings);
  const { label, maxLeaseMs, operationTimeoutMs } = settings;
  const shared = given({ label, maxLeaseMs, operationTimeoutMs });
  switch (engine) {
    case 'redis': {
      const { redis } = await import('bedrock-lock/redis');
      return redis({ url: address.url, ...shared, ...given({ restartGuard: settings.restartGuard }) });
    }
    case 'redis cluster': {
      const { redis } = await import('bedrock-lock/redis');
      return redis({ cluster: address.urls, ...shared });
    }
    case 'combination': {
      const [{ combination }, { redis }] = await Promise.all([
        import('bedrock-lock/combination'),
        import('bedrock-lock/redis'),
      ]);
      const { nodes, minNodes, maxLeaseMs: longestMs } = address;
      return combination({
        nodes: nodes.map(({ id, url }) => redis({ url, nodeId: id, label })),
        minNodes,
        maxLeaseMs: longestMs,
        ...given({ nodeTimeoutMs: operationTimeoutMs }),
      });
    }
    case 'etcd': {
      const { etcd } = await import('bedrock-lock/etcd');
      const { hosts, prefix, user } = address;
      return etcd({ hosts, prefix, ...shared, ...given({ auth: user }) });
    }
    case 'zookeeper': {
      const { zookeeper } = await import('bedrock-lock/zookeeper');
      const { connect, user } = address;
      const auth = user && { scheme: 'digest', credentials: `${user.username}:${user.password}` };
      return zookeeper({ connect, ...shared, ...given({ root: settings.root, auth }) });
    }
    case 'postgres':
      return openPostgres(address.url, settings);
    case 'mysql': {
      const { mysql, mysqlSessions } = await import('bedrock-lock/mysql');
      if (settings.sessions === true) return mysqlSessions({ url: address.url, ...shared });
      const own = given({ tablePrefix: settings.tablePrefix });
      return withTables(mysql({ url: address.url, ...shared, ...own }), settings);
    }
  }
}

async function openPostgres(url: string, settings: BackendSettings): Promise<Backend> {
  const { postgres, postgresSession } = await import('bedrock-lock/postgres');
  const { label, maxLeaseMs, operationTimeoutMs, tablePrefix, schema, throughPooler, sessions } = settings;
  const shared = { url, ...given({ tablePrefix, schema, operationTimeoutMs, maxLeaseMs }) };
  const rows = async (): Promise<Backend> =>
    withTables(postgres({ ...shared, label, ...given({ throughPooler }) }), settings);
  if (sessions !== true) return rows();
  // The sequence of the tokens is made with the tables.
  if (settings.createTables === true) await (await rows()).close();
  return postgresSession(shared);
}

/** @throws UsageError */
function checkSettings(engine: Engine, settings: BackendSettings): void {
  for (const [setting, option, engines] of ENGINES_OF) {
    if (settings[setting] !== undefined && !engines.includes(engine))
      throw new UsageError(`${option} is an option of ${engines.join(' and ')}, not of ${engine}`);
  }
  for (const [setting, option, engines] of settings.sessions === true ? NOT_OF_SESSIONS : []) {
    if (settings[setting] !== undefined && engines.includes(engine))
      throw new UsageError(`${option} is an option of rows: leave it or --sessions out`);
  }
}

interface TableBackend extends Backend {
  ensureSchema(): Promise<void>;
}

async function withTables(backend: TableBackend, { createTables }: BackendSettings): Promise<Backend> {
  if (createTables === undefined) return backend;
  try {
    await backend.ensureSchema();
    return backend;
  } catch (error) {
    await backend.close();
    throw error;
  }
}

type Given<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** The options without those that are undefined. */
function given<T extends object>(options: T): Given<T> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Given<T>;
}
