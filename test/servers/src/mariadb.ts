import { connect } from 'node:net';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findBinary, isFound } from './binary.js';
import { startContainer } from './container.js';
import { dataTemplate } from './data-template.js';
import { installDebianPackages } from './debian.js';
import { NotHere, startFromFirst } from './finding.js';
import { freePort } from './free-port.js';
import type { RunningServer, ServerSource } from './running-server.js';
import { ServerProcess } from './server-process.js';
import { sharedServer } from './shared-server.js';

export interface MariadbOptions {
  /** More arguments, after the own ones: the last of a name counts. */
  readonly args?: readonly string[];
  /** @default a free one */
  readonly port?: number;
  /** Whether the server of MYSQL_URL (MySQL or MariaDB) may serve. It is never stopped, killed or paused. @default false */
  readonly shared?: boolean;
}

/** The database that is there, and the account: all rights, no password. */
const DATABASE = 'bedrock';
const LOGIN = 'root';
const ADVICE =
  'Install mariadb-server (Debian: apt-get install mariadb-server), name it in MARIADB_SERVER_BIN, or start a container engine.';
/** Root must state this user to the server. Other users must not: the installer would change owners. */
const AS_ROOT = process.getuid?.() === 0 ? ['--user=root'] : [];
/** A log of 96 MB, the default, would be most of the data copied for each server. */
const LOG = '--innodb-log-file-size=16M';
const SETTINGS = ['--skip-name-resolve', '--innodb-flush-log-at-trx-commit=0', '--max-connections=500', LOG];
const MAKING = ['--no-defaults', '--auth-root-authentication-method=normal', '--skip-test-db', LOG];

/**
 * Gives a new server a copy of the data, then becomes the server: one process to guard and to kill. What it writes for a
 * while stands beside its data: in one folder for all, two servers take each other's files.
 */
const START = `
export TMPDIR="$(dirname "$1")"
[ -d "$1" ] || { cp -R "$2" "$1.new" && mv "$1.new" "$1"; } || exit 1
shift 2
exec "$@"`;

/** Starts a MariaDB server on 127.0.0.1 with an empty database, or answers with the shared one. */
export async function startMariadb(options: MariadbOptions = {}): Promise<RunningServer> {
  const attempts = [
    { source: 'environment' as const, start: () => fromEnvironment(options) },
    { source: 'local' as const, start: () => fromBinary(options, 'local') },
    { source: 'testcontainers' as const, start: () => fromContainer(options) },
    { source: 'debian' as const, start: () => fromDebian(options) },
  ];
  return startFromFirst('MariaDB', attempts, ADVICE);
}

async function fromEnvironment({ shared = false }: MariadbOptions): Promise<RunningServer> {
  const url = process.env['MYSQL_URL'];
  if (!shared) throw new NotHere('a server of its own was asked for');
  if (url === undefined || url === '') throw new NotHere('MYSQL_URL is not set');
  const server = sharedServer(url, 3306);
  const answers = await greets(server.port, server.host).catch(() => false);
  if (!answers) throw new Error(`MYSQL_URL names ${server.host}:${server.port}, but no server answers there`);
  return server;
}

async function fromBinary(options: MariadbOptions, source: ServerSource): Promise<RunningServer> {
  const program = binary();
  const installer = findBinary('mariadb-install-db', 'MARIADB_INSTALL_DB_BIN');
  const template = await dataTemplate({
    name: 'mariadb',
    program,
    command: (dir) => [
      ...(['/usr/bin/env', `TMPDIR=${dir}`, installer, ...MAKING] as const),
      ...[...AS_ROOT, `--datadir=${join(dir, 'data')}`],
    ],
  });
  const port = options.port ?? (await freePort());
  return ServerProcess.start({
    name: 'mariadb',
    scheme: 'mysql',
    login: LOGIN,
    database: DATABASE,
    source,
    port,
    command: (dir) => {
      writeFileSync(join(dir, 'init.sql'), `CREATE DATABASE IF NOT EXISTS ${DATABASE};\n`);
      const data = join(dir, 'data');
      return [
        ...(['/bin/sh', '-c', START, 'start', data, template, program] as const),
        ...['--no-defaults', ...AS_ROOT, `--datadir=${data}`, `--init-file=${join(dir, 'init.sql')}`],
        ...[`--port=${port}`, '--bind-address=127.0.0.1', `--socket=${join(dir, 's')}`],
        ...[`--pid-file=${join(dir, 'pid')}`, ...SETTINGS, ...(options.args ?? [])],
      ];
    },
    isReady: (at) => greets(at),
  });
}

async function fromContainer(options: MariadbOptions): Promise<RunningServer> {
  const environment = `MARIADB_ALLOW_EMPTY_ROOT_PASSWORD=1 MARIADB_DATABASE=${DATABASE}`;
  const server = ['mariadbd', ...SETTINGS, ...(options.args ?? [])];
  return startContainer({
    image: 'mariadb:10.11',
    scheme: 'mysql',
    login: LOGIN,
    database: DATABASE,
    command: ['sh', '-c', `${environment} exec docker-entrypoint.sh "$@"`, 'start', ...server],
    inside: 3306,
    port: options.port ?? (await freePort()),
  });
}

async function fromDebian(options: MariadbOptions): Promise<RunningServer> {
  await installDebianPackages(['mariadb-server'], () => isFound(binary));
  return fromBinary(options, 'debian');
}

function binary(): string {
  return findBinary('mariadbd', 'MARIADB_SERVER_BIN');
}

/** Whether a server says first what it is, as the protocol has it: version 10 after a header of four bytes. */
function greets(port: number, host = '127.0.0.1', withinMs = 1_000): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port });
    const settle = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(withinMs, () => settle(false));
    socket.once('error', reject);
    socket.once('close', () => resolve(false));
    socket.once('data', (bytes) => settle(bytes[4] === 10));
  });
}
