import { ENGINES } from '../server/engines.js';
import type { EngineName } from '../server/run-servers.js';
import { checkTogether } from './check-together.js';
import { nearestName } from './nearest-name.js';
import { OPTION_TABLE, optionRow, type OptionName } from './option-table.js';
import { checkRedisVariable, redisUrl, serverUrl, wholeNumber } from './option-values.js';
import { readArguments, type GivenOptions } from './read-arguments.js';
import {
  SCENARIO_NAMES,
  type BackendName,
  type Command,
  type RunOptions,
  type ScenarioName,
} from './run-options.js';
import { START_HINT, UsageError } from './usage.error.js';

type Given = GivenOptions<OptionName>;

/** Parses the arguments and the environment. @throws UsageError for a request that cannot run */
export function parseCommand(args: readonly string[], environment: NodeJS.ProcessEnv): Command {
  const given = readArguments(args, { rows: OPTION_TABLE, hint: START_HINT });
  if (given.has('help')) return { kind: 'help' };
  const scenario = wordOf(given, 'scenario') ?? 'flash-sale';
  const scenarios = scenario === 'all' ? SCENARIO_NAMES : [scenario as ScenarioName];
  checkScope(given, scenario, scenarios);
  const backend = backendOf(given, scenario);
  checkBackend(given, backend);
  const options: RunOptions = {
    scenarios,
    backend,
    isLocked: !given.has('no-lock'),
    ...urlsOf(given, backend, environment),
    ...combinationOf(given),
    ...telemetryOf(given),
    ...numberOf(given, 'processes', 'processes'),
    ...numberOf(given, 'buyers', 'buyers'),
    ...numberOf(given, 'purchases', 'purchases'),
    ...numberOf(given, 'stock', 'stock'),
    ...numberOf(given, 'rounds', 'rounds'),
    ...numberOf(given, 'lease-ms', 'leaseMs'),
    ...numberOf(given, 'operation-timeout-ms', 'operationTimeoutMs'),
    ...numberOf(given, 'hold-ms', 'holdMs'),
    ...numberOf(given, 'requests', 'requests'),
    ...databaseOf(given),
  };
  checkTogether(options);
  return { kind: 'run', ...options };
}

function wordOf(given: Given, name: OptionName): string | undefined {
  const word = given.get(name);
  const words = optionRow(name).words!;
  if (word === undefined || words.includes(word)) return word;
  const meant = nearestName(word, words);
  throw new UsageError(
    `--${name} must be one of ${words.join(', ')}; got "${word}"`,
    meant && `did you mean --${name} ${meant}?`,
  );
}

/** An option that the scenario would ignore is the caller's mistake. */
function checkScope(given: Given, scenario: string, running: readonly ScenarioName[]): void {
  for (const name of given.keys()) {
    const { scenarios } = optionRow(name);
    if (scenarios === undefined || running.some((one) => scenarios.includes(one))) continue;
    throw new UsageError(
      `--${name} does nothing in --scenario ${scenario}`,
      `use it with ${scenarios.map((one) => `--scenario ${one}`).join(' and ')}`,
    );
  }
  if (given.has('no-lock') && scenario === 'all') {
    throw new UsageError('--no-lock needs a single scenario', 'npm start -- --scenario flash-sale --no-lock');
  }
}

/** Actions of a scenario that only Redis can serve. */
const USES_OF_REDIS: Readonly<Record<string, string>> = {
  stages: 'runs the hand-made Redis locks',
  schemes: 'keeps its locks on Redis and its data in MariaDB',
  all: 'runs the hand-made Redis locks',
};

function backendOf(given: Given, scenario: string): BackendName {
  const use = USES_OF_REDIS[scenario];
  const backend = (wordOf(given, 'backend') ?? (use === undefined ? 'memory' : 'redis')) as BackendName;
  if (backend !== 'redis' && use !== undefined) {
    throw new UsageError(
      `--scenario ${scenario} ${use}, so --backend ${backend} cannot serve it`,
      'remove --backend, or set --backend redis',
    );
  }
  return backend;
}

/** An option that the backend would ignore is the caller's mistake too. */
function checkBackend(given: Given, backend: BackendName): void {
  for (const name of given.keys()) {
    const needed = optionRow(name).backend;
    if (needed === undefined || needed === backend) continue;
    throw new UsageError(`--${name} does nothing with --backend ${backend}`, `add --backend ${needed}`);
  }
}

function urlsOf(
  given: Given,
  backend: BackendName,
  environment: NodeJS.ProcessEnv,
): { urls?: readonly string[] } {
  const text = given.get('url');
  // The stock is on the Redis of REDIS_URL even if the locks are elsewhere.
  if (backend !== 'memory' && (backend !== 'redis' || text === undefined)) {
    checkRedisVariable(environment, '--url');
  }
  if (text === undefined) return {};
  if (backend === 'memory') {
    throw new UsageError('--url names a server, but the locks live in memory', 'add --backend redis');
  }
  const urls = text.split(',').map((url) => urlOf(backend, url));
  if (backend !== 'combination' && urls.length > 1) {
    throw new UsageError(`--backend ${backend} takes one --url`, 'only --backend combination takes several');
  }
  if (backend === 'combination') checkNodes(given, urls);
  return { urls };
}

function urlOf(backend: Exclude<BackendName, 'memory'>, url: string): string {
  if (backend === 'redis' || backend === 'combination') return redisUrl('--url', url);
  return engineUrl('--url', url, backend);
}

function engineUrl(name: string, url: string, engine: EngineName): string {
  const { title, protocols, example } = ENGINES[engine];
  return serverUrl(name, url, { title, protocols, hint: `${name} ${example}` });
}

function databaseOf(given: Given): { databaseUrl?: string } {
  const url = given.get('database');
  return url === undefined ? {} : { databaseUrl: engineUrl('--database', url, 'mysql') };
}

function checkNodes(given: Given, urls: readonly string[]): void {
  for (const name of ['nodes', 'chaos'] as const) {
    if (!given.has(name)) continue;
    throw new UsageError(
      `--${name} is for servers that the run starts, but --url names existing ones`,
      'remove one of the two',
    );
  }
  if (new Set(urls).size < Math.max(urls.length, 2)) {
    throw new UsageError(
      'a combination needs at least two different --url values',
      '--url redis://a:6379,redis://b:6379',
    );
  }
}

function combinationOf(given: Given): Pick<RunOptions, 'strategy' | 'contention' | 'isChaotic' | 'nodes'> {
  const strategy = wordOf(given, 'strategy') as RunOptions['strategy'];
  const contention = wordOf(given, 'contention') as RunOptions['contention'];
  return {
    ...numberOf(given, 'nodes', 'nodes'),
    ...(strategy !== undefined && { strategy }),
    ...(contention !== undefined && { contention }),
    ...(given.has('chaos') && { isChaotic: true }),
  };
}

/** The port of an exporter of OpenTelemetry. */
const METRICS_PORT = 9_464;

function telemetryOf(given: Given): Pick<RunOptions, 'telemetry'> {
  const { port = METRICS_PORT, lingerS = 0 } = {
    ...numberOf(given, 'metrics-port', 'port'),
    ...numberOf(given, 'linger', 'lingerS'),
  } as { readonly port?: number; readonly lingerS?: number };
  if (given.has('telemetry')) return { telemetry: { port, lingerS } };
  for (const name of ['metrics-port', 'linger'] as const) {
    if (given.has(name))
      throw new UsageError(`--${name} does nothing without --telemetry`, 'add --telemetry');
  }
  return {};
}

function numberOf<F extends string>(
  given: Given,
  name: OptionName,
  field: F,
): { [K in F]?: number } | object {
  const text = given.get(name);
  if (text === undefined) return {};
  return { [field]: wholeNumber(`--${name}`, text, optionRow(name).range!) };
}
