import { findBinary, isFound } from './binary.js';
import { startContainer } from './container.js';
import { installDebianPackages } from './debian.js';
import { etcdAnswers } from './etcd-health.js';
import { NotHere, startFromFirst } from './finding.js';
import { freePorts } from './free-port.js';
import type { RunningServer, ServerSource } from './running-server.js';
import { ServerProcess } from './server-process.js';
import { sharedServer } from './shared-server.js';

export interface EtcdOptions {
  /** More arguments, after the own ones: the last of a name counts. */
  readonly args?: readonly string[];
  /** A folder of the caller's for the data, which stays after `stop()`. @default a temporary one */
  readonly dir?: string;
  /** Empties `dir` first. @default false */
  readonly fresh?: boolean;
  /** Whether the server of ETCD_URL may serve. It is never stopped, killed or paused. @default false */
  readonly shared?: boolean;
}

const ADVICE =
  'Install etcd (Debian: apt-get install etcd-server), name it in ETCD_BIN, or start a container engine.';
const CLIENT_PORT = 2379;
/**
 * Heartbeats of 10 ms and elections of 100 ms. The shortest life of an etcd lease is one and a half elections in whole
 * seconds: 1 s here, and 2 s where a server has its defaults.
 */
export const FAST = ['--heartbeat-interval', '10', '--election-timeout', '100', '--log-level', 'error'];

/** Starts an etcd server on 127.0.0.1, a cluster of one, or returns the shared one. Its data survives a restart. */
export async function startEtcd(options: EtcdOptions = {}): Promise<RunningServer> {
  const attempts = [
    { source: 'environment' as const, start: () => fromEnvironment(options) },
    { source: 'local' as const, start: () => fromBinary(options, 'local') },
    { source: 'testcontainers' as const, start: () => fromContainer(options) },
    { source: 'debian' as const, start: () => fromDebian(options) },
  ];
  return startFromFirst('etcd', attempts, ADVICE);
}

/** Where one member listens. */
export interface EtcdPlace {
  readonly name: string;
  readonly port: number;
  readonly peerPort: number;
}

/** Starts one member; it is ready once it answers, which takes a majority of `members`. */
export function startMember(
  { name, port, peerPort }: EtcdPlace,
  members: readonly EtcdPlace[],
  source: ServerSource,
  { args = [], dir, fresh }: EtcdOptions = {},
): Promise<RunningServer> {
  const program = etcdBinary();
  const [client, peer] = [urlOf(port), urlOf(peerPort)];
  const cluster = members.map((member) => `${member.name}=${urlOf(member.peerPort)}`).join(',');
  return ServerProcess.start({
    name: 'etcd',
    scheme: 'http',
    source,
    port,
    dir,
    fresh,
    command: (folder) => [
      program,
      ...['--name', name, '--data-dir', folder],
      ...['--listen-client-urls', client, '--advertise-client-urls', client],
      ...['--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer],
      ...['--initial-cluster', cluster, ...FAST, ...args],
    ],
    isReady: (at) => etcdAnswers(urlOf(at)),
  });
}

/** Makes sure that the program is here, wherever it comes from. @throws NotHere when it cannot be had */
export async function findEtcd(): Promise<ServerSource> {
  if (isFound(etcdBinary)) return 'local';
  await installDebianPackages(['etcd-server'], () => isFound(etcdBinary));
  return 'debian';
}

async function fromEnvironment({ shared = false }: EtcdOptions): Promise<RunningServer> {
  const url = process.env['ETCD_URL'];
  if (!shared) throw new NotHere('a server of its own was asked for');
  if (url === undefined || url === '') throw new NotHere('ETCD_URL is not set');
  const server = sharedServer(url, CLIENT_PORT);
  const answers = await etcdAnswers(url).catch(() => false);
  if (!answers && url.startsWith('http:')) throw new Error(`ETCD_URL is ${url}, but no etcd answers there`);
  return server;
}

async function fromBinary(options: EtcdOptions, source: ServerSource): Promise<RunningServer> {
  etcdBinary();
  const [port, peerPort] = await freePorts(2);
  const place = { name: 'n1', port: port!, peerPort: peerPort! };
  return startMember(place, [place], source, options);
}

async function fromContainer(options: EtcdOptions): Promise<RunningServer> {
  if (options.dir !== undefined) throw new NotHere('a container cannot use the folder that was given');
  const anywhere = urlOf(CLIENT_PORT, '0.0.0.0');
  return startContainer({
    image: 'quay.io/coreos/etcd:v3.5.21',
    scheme: 'http',
    command: [
      'etcd',
      ...['--listen-client-urls', anywhere, '--advertise-client-urls', anywhere],
      ...FAST,
      ...(options.args ?? []),
    ],
    inside: CLIENT_PORT,
    port: (await freePorts(1))[0]!,
  });
}

async function fromDebian(options: EtcdOptions): Promise<RunningServer> {
  await installDebianPackages(['etcd-server'], () => isFound(etcdBinary));
  return fromBinary(options, 'debian');
}

function urlOf(port: number, host = '127.0.0.1'): string {
  return `http://${host}:${port}`;
}

function etcdBinary(): string {
  return findBinary('etcd', 'ETCD_BIN');
}
