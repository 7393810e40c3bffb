import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findBinary, isFound } from './binary.js';
import { installDebianPackages } from './debian.js';
import { startFromFirst } from './finding.js';
import { freePort } from './free-port.js';
import { postgresServes } from './postgres.js';
import type { RunningServer, ServerSource } from './running-server.js';
import { ServerProcess } from './server-process.js';

export interface PgbouncerOptions {
  /** The PostgreSQL behind it, on 127.0.0.1. */
  readonly port: number;
  readonly mode: 'session' | 'transaction';
}

const PACKAGES = ['pgbouncer'];
const ADVICE = 'Install pgbouncer (Debian: apt-get install pgbouncer), or name it in PGBOUNCER_BIN.';
/** It refuses to run as root. */
const AS_NOBODY = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];

/** Starts a PgBouncer on 127.0.0.1 that admits every client as the user `postgres`. */
export async function startPgbouncer(options: PgbouncerOptions): Promise<RunningServer> {
  const attempts = [
    { source: 'local' as const, start: () => fromBinary(options, 'local') },
    { source: 'debian' as const, start: () => fromDebian(options) },
  ];
  return startFromFirst('PgBouncer', attempts, ADVICE);
}

async function fromBinary(options: PgbouncerOptions, source: ServerSource): Promise<RunningServer> {
  const program = binary();
  const port = await freePort();
  return ServerProcess.start({
    name: 'pgbouncer',
    scheme: 'postgres',
    login: 'postgres',
    database: 'postgres',
    source,
    port,
    command: (dir) => {
      const file = join(dir, 'pgbouncer.ini');
      writeFileSync(file, configuration(options, port));
      return [program, ...AS_NOBODY, file];
    },
    isReady: (at) => postgresServes(at),
  });
}

async function fromDebian(options: PgbouncerOptions): Promise<RunningServer> {
  await installDebianPackages(PACKAGES, () => isFound(binary));
  return fromBinary(options, 'debian');
}

function configuration({ port, mode }: PgbouncerOptions, ownPort: number): string {
  return [
    '[databases]',
    `* = host=127.0.0.1 port=${port} user=postgres`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${ownPort}`,
    'unix_socket_dir =',
    'auth_type = any',
    `pool_mode = ${mode}`,
    '',
  ].join('\n');
}

function binary(): string {
  return findBinary('pgbouncer', 'PGBOUNCER_BIN');
}
