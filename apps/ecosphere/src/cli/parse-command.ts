import { nearestName } from './nearest-name.js';
import { OPTION_TABLE, optionRow, type OptionName } from './option-table.js';
import { checkRedisVariable, redisUrl, wholeNumber } from './option-values.js';
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

/** What the arguments and the environment ask for. @throws UsageError for anything that cannot be run as it stands */
export function parseCommand(args: readonly string[], environment: NodeJS.ProcessEnv): Command {
  const given = readArguments(args, { rows: OPTION_TABLE, hint: START_HINT });
  if (given.has('help')) return { kind: 'help' };
  const scenario = wordOf(given, 'scenario') ?? 'flash-sale';
  const scenarios = scenario === 'all' ? SCENARIO_NAMES : [scenario as ScenarioName];
  checkScope(given, scenario, scenarios);
  const backend = backendOf(given, scenario);
  const options: RunOptions = {
    scenarios,
    backend,
    isLocked: !given.has('no-lock'),
    ...urlOf(given, backend, environment),
    ...numberOf(given, 'processes', 'processes'),
    ...numberOf(given, 'buyers', 'buyers'),
    ...numberOf(given, 'purchases', 'purchases'),
    ...numberOf(given, 'stock', 'stock'),
    ...numberOf(given, 'rounds', 'rounds'),
    ...numberOf(given, 'lease-ms', 'leaseMs'),
    ...numberOf(given, 'hold-ms', 'holdMs'),
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

/** An option that the scenario would ignore is a mistake of the caller. */
function checkScope(given: Given, scenario: string, running: readonly ScenarioName[]): void {
  for (const name of given.keys()) {
    const { scenarios } = optionRow(name);
    if (scenarios === undefined || running.some((one) => scenarios.includes(one))) continue;
    throw new UsageError(
      `--${name} does nothing in --scenario ${scenario}`,
      `it belongs to ${scenarios.map((one) => `--scenario ${one}`).join(' and ')}`,
    );
  }
  if (given.has('no-lock') && scenario === 'all') {
    throw new UsageError('--no-lock is for one scenario', 'npm start -- --scenario flash-sale --no-lock');
  }
}

function backendOf(given: Given, scenario: string): BackendName {
  const needsRedis = scenario === 'stages' || scenario === 'all';
  const backend = (wordOf(given, 'backend') ?? (needsRedis ? 'redis' : 'memory')) as BackendName;
  if (backend === 'memory' && needsRedis) {
    throw new UsageError(
      `--scenario ${scenario} runs the hand-made Redis locks, so --backend memory cannot serve it`,
      'leave --backend out, or set --backend redis',
    );
  }
  return backend;
}

function urlOf(given: Given, backend: BackendName, environment: NodeJS.ProcessEnv): { url?: string } {
  const url = given.get('url');
  if (url === undefined) {
    if (backend === 'redis') checkRedisVariable(environment, '--url');
    return {};
  }
  if (backend !== 'redis') {
    throw new UsageError('--url names a Redis server, but the locks live in memory', 'add --backend redis');
  }
  return { url: redisUrl('--url', url) };
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

function checkTogether(options: RunOptions): void {
  const { backend, processes = 1, buyers = 3_000, purchases = 10_000, leaseMs = 300, holdMs } = options;
  if (backend === 'memory' && processes > 1) {
    throw new UsageError(
      `the memory backend lives in one process; --processes ${processes} needs a server`,
      `npm start -- --backend redis --processes ${processes}`,
    );
  }
  if (Math.min(buyers, purchases) < processes) {
    throw new UsageError(
      `${processes} processes need at least ${processes} buyers and as many purchases`,
      'raise --buyers and --purchases, or lower --processes',
    );
  }
  if (holdMs !== undefined && holdMs < 2 * leaseMs) {
    throw new UsageError(
      `--hold-ms ${holdMs} is shorter than two leases of ${leaseMs} ms: nothing would be renewed`,
      `set --hold-ms to ${2 * leaseMs} or more, or lower --lease-ms`,
    );
  }
}
