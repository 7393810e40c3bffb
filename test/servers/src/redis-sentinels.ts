import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findBinary } from './binary.js';
import { freePorts } from './free-port.js';
import { startRedis } from './redis.js';
import { redisCommand } from './redis-command.js';
import { redisAnswers } from './redis-ping.js';
import type { RunningServer } from './running-server.js';
import { ServerProcess } from './server-process.js';
import { within } from './within.js';

export interface SentinelOptions {
  /** @default 1 */
  readonly replicas?: number;
  /** A primary that is silent for so long is taken for dead, ms. @default 500 */
  readonly downAfterMs?: number;
  /** More arguments of the Redis servers, not of the Sentinels. */
  readonly args?: readonly string[];
}

/** The name under which the Sentinels know the primary. */
export const GROUP = 'locks';
const SENTINELS = 3;
const STARTS_WITHIN_MS = 20_000;
const FAILS_OVER_WITHIN_MS = 20_000;

/** Starts a primary, its replicas and three Sentinels on 127.0.0.1, all in step. */
export async function startSentinels(options: SentinelOptions = {}): Promise<SentinelGroup> {
  const { replicas: count = 1, downAfterMs = 500, args = [] } = options;
  // Without a disk, a replica gets no update for up to a second after it is in step.
  const settings = ['--repl-diskless-sync', 'no', '--repl-ping-replica-period', '1', ...args];
  const ports = await freePorts(SENTINELS + 1 + count);
  const [primaryPort, ...replicaPorts] = ports.slice(SENTINELS);
  const primary = await startRedis({ port: primaryPort!, args: settings });
  const servers = [primary];
  try {
    // A replica whose primary does not listen yet tries again only after a second.
    const replicaOf = ['--replicaof', primary.host, String(primary.port)];
    const replicas = replicaPorts.map((port) => startRedis({ port, args: [...settings, ...replicaOf] }));
    servers.push(...(await startAll(replicas)));
    // A Sentinel that starts before the link is up takes its time to find the replicas.
    await within(STARTS_WITHIN_MS, 'the replicas are in step', () => areInStep(servers));
    const watch = `sentinel monitor ${GROUP} ${primary.host} ${primary.port} ${Math.floor(SENTINELS / 2) + 1}`;
    const timing = `sentinel down-after-milliseconds ${GROUP} ${downAfterMs}\nsentinel failover-timeout ${GROUP} 5000`;
    const sentinels = await startAll(
      ports.slice(0, SENTINELS).map((port) => startSentinel(port, `${watch}\n${timing}\n`)),
    );
    const group = new SentinelGroup(servers, sentinels);
    await group.meet(count);
    return group;
  } catch (error) {
    await Promise.all(servers.map((server) => server.stop()));
    throw error;
  }
}

/** Servers behind Sentinels, and the handles that a fault test needs. */
export class SentinelGroup {
  readonly name = GROUP;

  constructor(
    /** The first was the primary when they started. */
    readonly servers: readonly RunningServer[],
    readonly sentinels: readonly RunningServer[],
  ) {}

  get addresses(): { host: string; port: number }[] {
    return this.sentinels.map(({ host, port }) => ({ host, port }));
  }

  /** Waits until every Sentinel knows the others and all replicas. */
  async meet(replicas: number): Promise<void> {
    // By default, they look around every 10 s, talk every 2 s, and ask each other every second which server is down.
    await this.#debug('INFO-PERIOD', 100, 'PUBLISH-PERIOD', 100, 'ASK-PERIOD', 100);
    const all = `slaves=${replicas},sentinels=${SENTINELS}`;
    const haveMet = async (sentinel: RunningServer): Promise<boolean> =>
      String(await redisCommand(sentinel, 'INFO', 'sentinel')).includes(all);
    await Promise.all(
      this.sentinels.map((sentinel) =>
        within(STARTS_WITHIN_MS, 'the Sentinels know each other', () => haveMet(sentinel)),
      ),
    );
    // Not before all have met: a Sentinel that talks seldom again may not have been heard by another one.
    // By this time they also tell a promoted replica from one that has gone astray.
    await this.#debug('PUBLISH-PERIOD', 2_000);
  }

  /** The primary that the Sentinels name. */
  async primary(): Promise<RunningServer> {
    const [, port] = (await redisCommand(
      this.sentinels[0]!,
      'SENTINEL',
      'GET-MASTER-ADDR-BY-NAME',
      GROUP,
    )) as [string, string];
    return this.servers.find((server) => server.port === Number(port))!;
  }

  /** Waits until another server than `old` is named and takes writes, and gives it. */
  async failedOver(old: RunningServer): Promise<RunningServer> {
    return within(FAILS_OVER_WITHIN_MS, 'another primary is named', async () => {
      const primary = await this.primary();
      if (primary === old) return undefined;
      const [role] = (await redisCommand(primary, 'ROLE')) as [string];
      return role === 'master' ? primary : undefined;
    });
  }

  /** Changes the roles while all are alive: the old primary becomes a replica and refuses writes. */
  async switchOver(): Promise<RunningServer> {
    const old = await this.primary();
    await within(FAILS_OVER_WITHIN_MS, 'a failover begins', async () =>
      redisCommand(this.sentinels[0]!, 'SENTINEL', 'FAILOVER', GROUP),
    );
    return this.failedOver(old);
  }

  async #debug(...settings: (string | number)[]): Promise<void> {
    await Promise.all(this.sentinels.map((one) => redisCommand(one, 'SENTINEL', 'DEBUG', ...settings)));
  }

  async stop(): Promise<void> {
    await Promise.all([...this.sentinels, ...this.servers].map((server) => server.stop()));
  }
}

/** All of them, or none. */
async function startAll(starting: Promise<RunningServer>[]): Promise<RunningServer[]> {
  const settled = await Promise.allSettled(starting);
  const started = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  if (started.length < starting.length) await Promise.all(started.map((server) => server.stop()));
  return Promise.all(starting);
}

function startSentinel(port: number, config: string): Promise<RunningServer> {
  return ServerProcess.start({
    name: 'sentinel',
    scheme: 'redis',
    source: 'local',
    port,
    command: (dir) => {
      const file = join(dir, 'sentinel.conf');
      // The Sentinel keeps what it knows there, also for a restart.
      if (!existsSync(file)) writeFileSync(file, `port ${port}\nbind 127.0.0.1\ndir ${dir}\n${config}`);
      return [findBinary('redis-server', 'REDIS_SERVER_BIN'), file, '--sentinel'];
    },
    isReady: (at) => redisAnswers('127.0.0.1', at),
  });
}

/** The primary streams to all of them. Until then it keeps back what it has to tell, whatever they say of their link. */
async function areInStep([primary, ...replicas]: readonly RunningServer[]): Promise<boolean> {
  const info = String(await redisCommand(primary!, 'INFO', 'replication'));
  return info.match(/state=online/g)?.length === replicas.length;
}
