import { findBinary, isFound } from './binary.js';
import { startContainer } from './container.js';
import { installDebianPackages } from './debian.js';
import { NotHere, startFromFirst } from './finding.js';
import { freePort } from './free-port.js';
import { redisAnswers } from './redis-ping.js';
import type { RunningServer, ServerSource } from './running-server.js';
import { ServerProcess } from './server-process.js';
import { sharedServer } from './shared-server.js';

export interface RedisOptions {
  /** More arguments, after the own ones: the last of a name counts. */
  readonly args?: readonly string[];
  /** @default a free one */
  readonly port?: number;
  /** A folder of the caller's for the data, which stays after `stop()`. @default a temporary one */
  readonly dir?: string;
  /** Empties `dir` first. @default false */
  readonly fresh?: boolean;
  /** Whether the server of REDIS_URL may serve. It is never stopped, killed or paused. @default false */
  readonly shared?: boolean;
}

const ADVICE =
  'Install redis-server (Debian: apt-get install redis-server), name it in REDIS_SERVER_BIN, or start a container engine.';
const NOTHING_KEPT = ['--save', '', '--appendonly', 'no'];

/** Starts a Redis server on 127.0.0.1 that keeps nothing, or answers with the shared one. */
export async function startRedis(options: RedisOptions = {}): Promise<RunningServer> {
  const attempts = [
    { source: 'environment' as const, start: () => fromEnvironment(options) },
    { source: 'local' as const, start: () => fromBinary(options, 'local') },
    { source: 'testcontainers' as const, start: () => fromContainer(options) },
    { source: 'debian' as const, start: () => fromDebian(options) },
  ];
  return startFromFirst('Redis', attempts, ADVICE);
}

async function fromEnvironment({ shared = false }: RedisOptions): Promise<RunningServer> {
  const url = process.env['REDIS_URL'];
  if (!shared) throw new NotHere('a server of its own was asked for');
  if (url === undefined || url === '') throw new NotHere('REDIS_URL is not set');
  const server = sharedServer(url, 6379);
  const answers = await redisAnswers(server.host, server.port).catch(() => false);
  if (!answers && url.startsWith('redis:'))
    throw new Error(`REDIS_URL is ${withoutPassword(url)}, but no Redis answers there`);
  return server;
}

async function fromBinary(options: RedisOptions, source: ServerSource): Promise<RunningServer> {
  const program = binary();
  const port = options.port ?? (await freePort());
  return ServerProcess.start({
    name: 'redis',
    scheme: 'redis',
    source,
    port,
    dir: options.dir,
    fresh: options.fresh,
    command: (dir) => [
      program,
      ...['--port', String(port), '--bind', '127.0.0.1', '--dir', dir],
      ...NOTHING_KEPT,
      ...(options.args ?? []),
    ],
    isReady: (at) => redisAnswers('127.0.0.1', at),
  });
}

async function fromContainer(options: RedisOptions): Promise<RunningServer> {
  if (options.dir !== undefined) throw new NotHere('a container cannot use the folder that was given');
  return startContainer({
    image: 'redis:7-alpine',
    scheme: 'redis',
    command: ['redis-server', '--protected-mode', 'no', ...NOTHING_KEPT, ...(options.args ?? [])],
    inside: 6379,
    port: options.port ?? (await freePort()),
  });
}

async function fromDebian(options: RedisOptions): Promise<RunningServer> {
  await installDebianPackages(['redis-server'], () => isFound(binary));
  return fromBinary(options, 'debian');
}

function binary(): string {
  return findBinary('redis-server', 'REDIS_SERVER_BIN');
}

function withoutPassword(url: string): string {
  return url.replace(/\/\/[^@/]*@/, '//…@');
}
