import { existsSync } from 'node:fs';
import { findBinary } from './binary.js';
import { chromiumBinary } from './chromium.js';
import { startEtcd } from './etcd.js';
import { NotHere } from './finding.js';
import { startMariadb } from './mariadb.js';
import { postgresBinary, startPostgres } from './postgres.js';
import { startRedis } from './redis.js';
import { findJars, startZooKeeper } from './zookeeper.js';

/** What tests may need, and how it is found and got. */
export interface Need {
  /** The path of a program. @throws NotHere when there is none; Error when a variable names something that cannot be run */
  find(): string;
  /** Debian packages that bring it. */
  readonly packages: readonly string[];
  /** The formula of Homebrew. */
  readonly homebrew: string;
  /** The variables that name it elsewhere. */
  readonly variables: readonly string[];
  /** A server: a container may stand in for the program. */
  readonly shared?: {
    /** The variable that names a running server, for the tests that may share one. */
    readonly variable: string;
    /** @throws Error when nothing answers there */
    check(): Promise<unknown>;
  };
}

export const NEEDS = {
  redis: {
    find: () => findBinary('redis-server', 'REDIS_SERVER_BIN'),
    packages: ['redis-server'],
    homebrew: 'redis',
    variables: ['REDIS_SERVER_BIN'],
    shared: { variable: 'REDIS_URL', check: () => startRedis({ shared: true }) },
  },
  zookeeper: {
    find: () => findJars().classPath,
    packages: ['zookeeper'],
    homebrew: 'zookeeper',
    variables: ['ZOOKEEPER_HOME or ZOOKEEPER_CLASSPATH', 'JAVA_BIN'],
    shared: { variable: 'ZOOKEEPER_URL', check: () => startZooKeeper({ shared: true }) },
  },
  etcd: {
    find: () => findBinary('etcd', 'ETCD_BIN'),
    packages: ['etcd-server'],
    homebrew: 'etcd',
    variables: ['ETCD_BIN'],
    shared: { variable: 'ETCD_URL', check: () => startEtcd({ shared: true }) },
  },
  mariadb: {
    find: () => findAll({ mariadbd: 'MARIADB_SERVER_BIN', 'mariadb-install-db': 'MARIADB_INSTALL_DB_BIN' }),
    packages: ['mariadb-server'],
    homebrew: 'mariadb',
    variables: ['MARIADB_SERVER_BIN', 'MARIADB_INSTALL_DB_BIN'],
    shared: { variable: 'MYSQL_URL', check: () => startMariadb({ shared: true }) },
  },
  postgres: {
    find: () => findAll({ postgres: 'POSTGRES_SERVER_BIN', initdb: 'INITDB_BIN' }, postgresBinary),
    packages: ['postgresql'],
    homebrew: 'postgresql',
    variables: ['POSTGRES_SERVER_BIN', 'INITDB_BIN'],
    shared: { variable: 'POSTGRES_URL', check: () => startPostgres({ shared: true }) },
  },
  chromium: {
    find: chromiumBinary,
    packages: ['chromium'],
    homebrew: '--cask chromium',
    variables: ['CHROMIUM'],
  },
  prometheus: {
    find: () => findAll({ prometheus: 'PROMETHEUS_BIN', promtool: 'PROMTOOL_BIN' }),
    packages: ['prometheus'],
    homebrew: 'prometheus',
    variables: ['PROMETHEUS_BIN', 'PROMTOOL_BIN'],
  },
  pgbouncer: {
    find: () => findBinary('pgbouncer', 'PGBOUNCER_BIN'),
    packages: ['pgbouncer'],
    homebrew: 'pgbouncer',
    variables: ['PGBOUNCER_BIN'],
  },
  shells: {
    find: () => findAll({ zsh: 'ZSH_BIN', fish: 'FISH_BIN', bash: 'BASH_BIN' }, findShell),
    packages: ['zsh', 'fish', 'bash-completion'],
    homebrew: 'zsh fish bash bash-completion@2',
    variables: ['ZSH_BIN', 'FISH_BIN', 'BASH_BIN', 'BASH_COMPLETION'],
  },
  jdk: {
    find: () => findAll({ java: 'JAVA_BIN', javac: 'JAVAC_BIN' }),
    packages: ['default-jdk-headless'],
    homebrew: 'openjdk',
    variables: ['JAVA_BIN', 'JAVAC_BIN'],
  },
  maven: {
    find: () => findBinary('mvn', 'MVN_BIN'),
    packages: ['maven'],
    homebrew: 'maven',
    variables: ['MVN_BIN'],
  },
  sqlite: {
    find: () => findBinary('sqlite3', 'BEDROCK_SQLITE3'),
    packages: ['sqlite3'],
    homebrew: 'sqlite',
    variables: ['BEDROCK_SQLITE3'],
  },
} satisfies Record<string, Need>;

export type ServerName = keyof typeof NEEDS;

/** What the completions of bash need: a file that its users load. */
export function bashCompletion(): string {
  const places = [
    process.env['BASH_COMPLETION'] ?? '',
    '/usr/share/bash-completion/bash_completion',
    '/opt/homebrew/share/bash-completion/bash_completion',
    '/usr/local/share/bash-completion/bash_completion',
  ];
  const found = places.find((place) => place !== '' && existsSync(place));
  if (found === undefined) throw new NotHere('no bash-completion, and BASH_COMPLETION is not set');
  return found;
}

function findShell(program: string, override: string): string {
  if (program === 'bash') bashCompletion();
  return findBinary(program, override);
}

/** All programs must exist; returns the path of the first. */
function findAll(overrides: Readonly<Record<string, string>>, find = findBinary): string {
  return Object.entries(overrides).map(([program, override]) => find(program, override))[0]!;
}
