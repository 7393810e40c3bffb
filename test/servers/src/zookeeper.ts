import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { findBinary } from './binary.js';
import { startContainer } from './container.js';
import { installDebianPackages } from './debian.js';
import { NotHere, startFromFirst } from './finding.js';
import { freePort } from './free-port.js';
import { homebrewJars } from './homebrew.js';
import type { RunningServer, ServerSource } from './running-server.js';
import { ServerProcess } from './server-process.js';
import { sharedServer } from './shared-server.js';
import { zookeeperMode } from './zookeeper-health.js';

export interface ZooKeeperOptions {
  /** More lines of the configuration, such as `maxSessionTimeout=5000`: the last of a name counts. */
  readonly settings?: readonly string[];
  /** A folder of the caller's for the data, which stays after `stop()`. @default a temporary one */
  readonly dir?: string;
  /** Empties `dir` first. @default false */
  readonly fresh?: boolean;
  /** Whether the server of ZOOKEEPER_URL may serve. It is never stopped, killed or paused. @default false */
  readonly shared?: boolean;
}

const ADVICE =
  'Install java and zookeeper (Debian: apt-get install zookeeper), name the jars in ZOOKEEPER_CLASSPATH, or start a container engine.';
const CLIENT_PORT = 2181;
const DEBIAN_JAR = '/usr/share/java/zookeeper.jar';
/** Ticks of 200 ms: sessions from 400 ms on, and nothing waits for a disk. */
const FAST = [
  'tickTime=200',
  'minSessionTimeout=400',
  'maxSessionTimeout=60000',
  'initLimit=50',
  'syncLimit=25',
  'admin.enableServer=false',
  '4lw.commands.whitelist=*',
  'maxClientCnxns=0',
];

/** Starts a ZooKeeper server on 127.0.0.1, or returns the shared one. Its data survives a restart. */
export async function startZooKeeper(options: ZooKeeperOptions = {}): Promise<RunningServer> {
  const attempts = [
    { source: 'environment' as const, start: () => fromEnvironment(options) },
    { source: 'local' as const, start: () => fromJars(options, 'local') },
    { source: 'testcontainers' as const, start: () => fromContainer(options) },
    { source: 'debian' as const, start: () => fromDebian(options) },
  ];
  return startFromFirst('ZooKeeper', attempts, ADVICE);
}

/** Where one member of an ensemble listens. */
export interface ZooKeeperPlace {
  readonly id: number;
  readonly port: number;
  readonly peerPort: number;
  readonly electionPort: number;
}

/** Starts one server; a member of an ensemble is ready once there is a leader. */
export function startZooKeeperMember(
  { id, port }: Pick<ZooKeeperPlace, 'id' | 'port'>,
  members: readonly ZooKeeperPlace[],
  source: ServerSource,
  { settings = [], dir, fresh }: ZooKeeperOptions = {},
): Promise<RunningServer> {
  const { java, classPath } = findJars();
  const peers = members.map((one) => `server.${one.id}=127.0.0.1:${one.peerPort}:${one.electionPort}`);
  return ServerProcess.start({
    name: 'zookeeper',
    scheme: 'zookeeper',
    source,
    port,
    dir,
    fresh,
    command: (folder) => {
      const place = [`dataDir=${folder}`, `clientPort=${port}`, 'clientPortAddress=127.0.0.1'];
      const config = join(folder, 'zoo.cfg');
      writeFileSync(config, [...FAST, ...place, ...peers, ...settings, ''].join('\n'));
      writeFileSync(join(folder, 'myid'), String(id));
      return [
        java,
        ...['-Xmx128m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-Dzookeeper.forceSync=no'],
        // Empty containers go at once, and not within a minute.
        '-Dznode.container.checkIntervalMs=250',
        ...['-cp', classPath, 'org.apache.zookeeper.server.quorum.QuorumPeerMain', config],
      ];
    },
    isReady: async (at) => (await zookeeperMode(at)) !== undefined,
  });
}

/** Makes sure that the jars are here, wherever they come from. @throws NotHere when they cannot be had */
export async function findZooKeeper(): Promise<ServerSource> {
  if (hasJars()) return 'local';
  await installDebianPackages(['zookeeper'], hasJars);
  return 'debian';
}

async function fromEnvironment({ shared = false }: ZooKeeperOptions): Promise<RunningServer> {
  const url = process.env['ZOOKEEPER_URL'];
  if (!shared) throw new NotHere('a server of its own was asked for');
  if (url === undefined || url === '') throw new NotHere('ZOOKEEPER_URL is not set');
  const server = sharedServer(url, CLIENT_PORT);
  const mode = await zookeeperMode(server.port, server.host).catch(() => undefined);
  if (mode === undefined) throw new Error(`ZOOKEEPER_URL is ${url}, but no ZooKeeper serves there`);
  return server;
}

async function fromJars(options: ZooKeeperOptions, source: ServerSource): Promise<RunningServer> {
  findJars();
  return startZooKeeperMember({ id: 1, port: await freePort() }, [], source, options);
}

async function fromContainer({ dir, settings = [] }: ZooKeeperOptions): Promise<RunningServer> {
  if (dir !== undefined) throw new NotHere('a container cannot use the folder that was given');
  const lines = [...FAST, 'dataDir=/data', `clientPort=${CLIENT_PORT}`, ...settings];
  const write = lines.map((line) => `echo '${line}' >> /tmp/zoo.cfg`).join(' && ');
  return startContainer({
    image: 'zookeeper:3.8',
    scheme: 'zookeeper',
    command: ['sh', '-c', `${write} && exec zkServer.sh --config /tmp start-foreground`],
    inside: CLIENT_PORT,
    port: await freePort(),
  });
}

async function fromDebian(options: ZooKeeperOptions): Promise<RunningServer> {
  await installDebianPackages(['zookeeper'], hasJars);
  return fromJars(options, 'debian');
}

/** What runs ZooKeeper. @throws NotHere when it is not here */
export function findJars(): { readonly java: string; readonly classPath: string } {
  const java = findBinary('java', 'JAVA_BIN');
  const given = process.env['ZOOKEEPER_CLASSPATH'];
  if (given !== undefined && given !== '') return { java, classPath: given };
  if (existsSync(DEBIAN_JAR)) return { java, classPath: DEBIAN_JAR };
  const home = process.env['ZOOKEEPER_HOME'];
  const folder = home === undefined || home === '' ? homebrewJars() : join(home, 'lib');
  const jars = folder === undefined ? [] : jarsIn(folder);
  if (jars.length === 0)
    throw new NotHere(`no ${DEBIAN_JAR}, and ZOOKEEPER_CLASSPATH and ZOOKEEPER_HOME are not set`);
  return { java, classPath: jars.join(delimiter) };
}

function jarsIn(folder: string): string[] {
  if (!existsSync(folder)) throw new Error(`ZOOKEEPER_HOME is set, but there is no ${folder}`);
  return readdirSync(folder)
    .filter((name) => name.endsWith('.jar'))
    .map((name) => join(folder, name));
}

function hasJars(): boolean {
  try {
    findJars();
    return true;
  } catch (error) {
    if (error instanceof NotHere) return false;
    throw error;
  }
}
