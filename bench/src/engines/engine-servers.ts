import { startEtcd, startMariadb, startPostgres, startZooKeeper, type RunningServer } from 'bedrock-servers';
import { describeEngine } from './describe-engine.js';
import type { EngineName } from './engines.js';
import { prepareMysql, preparePostgres } from './prepare.js';

/** Starts a server, or uses that of the environment: ZOOKEEPER_URL, ETCD_URL, POSTGRES_URL, MYSQL_URL. */
const STARTERS: Readonly<Record<Exclude<EngineName, 'redis'>, () => Promise<RunningServer>>> = {
  zookeeper: () => startZooKeeper({ shared: true }),
  etcd: () => startEtcd({ shared: true }),
  postgres: () => startPostgres({ shared: true }),
  mysql: () => startMariadb({ shared: true }),
};

/** The servers of the engines. Each starts at the first request for it, and runs to the end of the bench. */
export class EngineServers {
  readonly #started = new Map<EngineName, Promise<RunningServer>>();

  constructor(private readonly redisUrl: string) {}

  /** URL of an engine with its tables. @throws if none exists or starts, each time with the same reason */
  async urlOf(engine: EngineName): Promise<string> {
    if (engine === 'redis') return this.redisUrl;
    const known = this.#started.get(engine);
    const server = known ?? start(engine);
    if (known === undefined) this.#started.set(engine, server);
    return (await server).url;
  }

  /** The running servers by name and version, for the report. */
  async describe(): Promise<string[]> {
    const described = [...this.#started].map(async ([engine, server]) =>
      describeEngine(engine, (await server).url),
    );
    const settled = await Promise.allSettled(described);
    return settled.flatMap((one) => (one.status === 'fulfilled' && one.value !== '' ? [one.value] : []));
  }

  async stop(): Promise<void> {
    const servers = await Promise.allSettled(this.#started.values());
    const running = servers.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    await Promise.all(running.map((server) => server.stop()));
  }
}

async function start(engine: Exclude<EngineName, 'redis'>): Promise<RunningServer> {
  const server = await STARTERS[engine]();
  try {
    if (engine === 'postgres') await preparePostgres(server.url);
    if (engine === 'mysql') await prepareMysql(server.url);
    return server;
  } catch (error) {
    await server.stop();
    throw error;
  }
}
