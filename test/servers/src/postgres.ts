import { chownSync, existsSync, readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { findBinary, isFound } from './binary.js';
import { startContainer } from './container.js';
import { dataTemplate } from './data-template.js';
import { installDebianPackages } from './debian.js';
import { NotHere, startFromFirst } from './finding.js';
import { freePort } from './free-port.js';
import type { RunningServer, ServerSource } from './running-server.js';
import { asFamily } from './postgres-family.js';
import { ServerProcess } from './server-process.js';
import { sharedServer } from './shared-server.js';

export interface PostgresOptions {
  /** More settings, `name=value`. */
  readonly settings?: readonly string[];
  /** @default a free one */
  readonly port?: number;
  /** Whether the server of POSTGRES_URL may serve. It is never stopped, killed or paused. @default false */
  readonly shared?: boolean;
}

/** The database that is there, and the account: all rights, no password. */
const DATABASE = 'postgres';
const LOGIN = 'postgres';
const ADVICE =
  'Install postgresql (Debian: apt-get install postgresql), name its programs in POSTGRES_SERVER_BIN and INITDB_BIN, or start a container engine.';
const SETTINGS = ['fsync=off', 'max_connections=300', 'shared_buffers=32MB'];
/** Where Debian keeps the servers of each version: none of them is on PATH. */
const DEBIAN_HOMES = '/usr/lib/postgresql';
/** The server refuses to run as root: then it runs as this user, which has no rights. */
const NOBODY = 65_534;
const AS_NOBODY = [
  '/usr/bin/setpriv',
  '--reuid',
  `${NOBODY}`,
  '--regid',
  `${NOBODY}`,
  '--clear-groups',
] as const;

/**
 * Gives a new server a copy of the data, then becomes the server: one process to guard and to kill. After a kill, what
 * served its connections needs a moment to notice.
 */
const START = `
[ -d "$1" ] || { cp -R "$2" "$1.new" && chmod 700 "$1.new" && mv "$1.new" "$1"; } || exit 1
[ ! -f "$1/postmaster.pid" ] || sleep 0.3
shift 2
exec "$@"`;

/** Starts a PostgreSQL server on 127.0.0.1 with an empty database, or answers with the shared one. */
export async function startPostgres(options: PostgresOptions = {}): Promise<RunningServer> {
  const attempts = [
    { source: 'environment' as const, start: () => fromEnvironment(options) },
    { source: 'local' as const, start: () => fromBinary(options, 'local') },
    { source: 'testcontainers' as const, start: () => fromContainer(options) },
    { source: 'debian' as const, start: () => fromDebian(options) },
  ];
  return startFromFirst('PostgreSQL', attempts, ADVICE);
}

async function fromEnvironment({ shared = false }: PostgresOptions): Promise<RunningServer> {
  const url = process.env['POSTGRES_URL'];
  if (!shared) throw new NotHere('a server of its own was asked for');
  if (url === undefined || url === '') throw new NotHere('POSTGRES_URL is not set');
  const server = sharedServer(url, 5432);
  const answers = await postgresServes(server.port, server.host).catch(() => false);
  if (!answers)
    throw new Error(`POSTGRES_URL names ${server.host}:${server.port}, but no server answers there`);
  return server;
}

async function fromBinary(options: PostgresOptions, source: ServerSource): Promise<RunningServer> {
  const program = postgresBinary('postgres', 'POSTGRES_SERVER_BIN');
  const installer = postgresBinary('initdb', 'INITDB_BIN');
  const port = options.port ?? (await freePort());
  const isRoot = process.getuid?.() === 0;
  const asServer = isRoot ? AS_NOBODY : (['/usr/bin/env'] as const);
  const template = await dataTemplate({
    name: 'postgres',
    program,
    owner: isRoot ? NOBODY : undefined,
    command: (dir) => [
      ...asServer,
      ...[installer, '-D', join(dir, 'data'), '-U', LOGIN, '-A', 'trust', '--no-sync', '-E', 'UTF8'],
      '--locale=C',
    ],
  });
  const server = await ServerProcess.start({
    name: 'postgres',
    scheme: 'postgres',
    login: LOGIN,
    database: DATABASE,
    source,
    port,
    command: (dir) => {
      if (isRoot) chownSync(dir, NOBODY, NOBODY);
      const data = join(dir, 'data');
      const settings = [...SETTINGS, ...(options.settings ?? [])].flatMap((setting) => ['-c', setting]);
      return [
        ...asServer,
        ...['/bin/sh', '-c', START, 'start', data, template, program],
        ...['-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', dir, ...settings],
      ];
    },
    isReady: (at) => postgresServes(at),
  });
  return asFamily(server);
}

async function fromContainer(options: PostgresOptions): Promise<RunningServer> {
  const settings = [...SETTINGS, ...(options.settings ?? [])].flatMap((setting) => ['-c', setting]);
  const script = 'POSTGRES_HOST_AUTH_METHOD=trust exec docker-entrypoint.sh "$@"';
  return startContainer({
    image: 'postgres:16-alpine',
    scheme: 'postgres',
    login: LOGIN,
    database: DATABASE,
    command: ['sh', '-c', script, 'start', 'postgres', ...settings],
    inside: 5432,
    port: options.port ?? (await freePort()),
  });
}

async function fromDebian(options: PostgresOptions): Promise<RunningServer> {
  await installDebianPackages(['postgresql'], () =>
    isFound(() => postgresBinary('postgres', 'POSTGRES_SERVER_BIN')),
  );
  return fromBinary(options, 'debian');
}

/** A program of the server: named, on PATH, or of the newest version in Debian's place. */
export function postgresBinary(program: string, override: string): string {
  const homes = existsSync(DEBIAN_HOMES) ? readdirSync(DEBIAN_HOMES) : [];
  const newest = homes
    .sort((a, b) => Number(b) - Number(a))
    .map((home) => join(DEBIAN_HOMES, home, 'bin', program));
  const found = newest.find((path) => existsSync(path));
  const named = process.env[override];
  if (found !== undefined && (named === undefined || named === '')) return found;
  return findBinary(program, override);
}

/** Whether a PostgreSQL, or a pooler in front of it, lets the user in: its port may be open while the server still starts. */
export function postgresServes(port: number, host = '127.0.0.1', withinMs = 1_000): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port });
    const settle = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(withinMs, () => settle(false));
    socket.once('error', reject);
    socket.once('close', () => resolve(false));
    socket.once('connect', () => socket.write(startup()));
    // R: it asks who we are or lets us in; E: an error, which is "the database system is starting up" for some time.
    socket.once('data', (bytes) => settle(bytes[0] === 0x52));
  });
}

/** The first message of a client, as the protocol 3.0 has it. */
function startup(): Buffer {
  const text = Buffer.from(`user\0${LOGIN}\0database\0${DATABASE}\0\0`);
  const head = Buffer.alloc(8);
  head.writeInt32BE(8 + text.length, 0);
  head.writeInt32BE(196_608, 4);
  return Buffer.concat([head, text]);
}
