import { parseArgs } from 'node:util';
import { LIBRARY_NAMES } from '../libraries/catalogue.js';
import { SCENARIO_NAMES } from '../scenarios/names.js';
import type { Command } from './command.js';
import { nearestName } from './nearest-name.js';
import { UsageError } from './usage-error.js';

const OPTIONS = {
  scenario: { type: 'string', multiple: true },
  library: { type: 'string', multiple: true },
  rounds: { type: 'string', multiple: true },
  json: { type: 'boolean' },
  check: { type: 'boolean' },
  'write-docs': { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

type OptionName = keyof typeof OPTIONS;
const OPTION_NAMES = Object.keys(OPTIONS) as readonly OptionName[];
const MAX_ROUNDS = 1_000;

/** The given values of each option; a flag has one empty text. */
type Given = ReadonlyMap<OptionName, readonly string[]>;

/** Parses the arguments and the environment. @throws UsageError for a request that cannot run */
export function parseCommand(args: readonly string[], environment: NodeJS.ProcessEnv): Command {
  const given = readWords(args);
  if (given.has('help')) return { kind: 'help' };
  const isJson = given.has('json');
  const writesDocs = given.has('write-docs');
  const isPart = given.has('scenario') || given.has('library') || given.has('rounds');
  if (writesDocs && isPart) {
    throw new UsageError('--write-docs publishes a whole run', 'remove --scenario, --library and --rounds');
  }
  if (writesDocs && isJson)
    throw new UsageError('--write-docs and --json exclude each other', 'run the bench twice');
  checkRedis(environment);
  return {
    kind: 'run',
    scenarios: namesOf('scenario', given.get('scenario'), SCENARIO_NAMES),
    libraries: namesOf('library', given.get('library'), LIBRARY_NAMES),
    rounds: roundsOf(given.get('rounds')),
    isJson,
    isChecked: given.has('check'),
    writesDocs,
  };
}

/** Walks the tokens, since the parser's own errors do not advise the caller. */
function readWords(args: readonly string[]): Given {
  const { tokens } = parseArgs({ args: [...args], options: OPTIONS, strict: false, tokens: true });
  const given = new Map<OptionName, string[]>();
  for (const token of tokens) {
    if (token.kind === 'option-terminator') continue;
    if (token.kind === 'positional') throw stray(token.value);
    const name = knownName(token.name, token.rawName);
    const values = given.get(name) ?? [];
    given.set(name, [...values, valueOf(name, token.value)]);
  }
  return given;
}

function knownName(name: string, rawName: string): OptionName {
  const known = OPTION_NAMES.find((candidate) => candidate === name);
  if (known !== undefined) return known;
  const meant = nearestName(name, OPTION_NAMES);
  throw new UsageError(`unknown option ${rawName}`, meant && `did you mean --${meant}?`);
}

function valueOf(name: OptionName, value: string | undefined): string {
  if (OPTIONS[name].type === 'boolean') {
    if (value !== undefined) throw new UsageError(`--${name} takes no value; got "${value}"`);
    return '';
  }
  // "--scenario --json": the parser takes the next option for the value.
  if (value === undefined || value === '' || value.startsWith('--')) {
    throw new UsageError(`--${name} needs a value`);
  }
  return value;
}

function stray(word: string): UsageError {
  const meant = nearestName(word, SCENARIO_NAMES);
  return new UsageError(`"${word}" belongs to no option`, meant && `did you mean --scenario ${meant}?`);
}

/** Names in the order of the bench, given with commas or repeated options, in any case. */
function namesOf<N extends string>(
  option: OptionName,
  values: readonly string[] | undefined,
  known: readonly N[],
): readonly N[] | undefined {
  if (values === undefined) return undefined;
  const given = values.flatMap((value) => value.split(',')).map((word) => word.trim());
  for (const word of given) {
    if (known.some((name) => name.toLowerCase() === word.toLowerCase())) continue;
    const meant = word === '' ? undefined : nearestName(word, known);
    throw new UsageError(
      `--${option} must be one of ${known.join(', ')}; got "${word}"`,
      meant && `did you mean --${option} ${meant}?`,
    );
  }
  const wanted = new Set(given.map((word) => word.toLowerCase()));
  return known.filter((name) => wanted.has(name.toLowerCase()));
}

/** The message does not repeat the URL: it may contain a password. An empty value counts as unset. */
function checkRedis({ REDIS_URL: url }: NodeJS.ProcessEnv): void {
  if (url === undefined || url === '') return;
  if (URL.canParse(url) && /^rediss?:$/.test(new URL(url).protocol)) return;
  throw new UsageError(
    'REDIS_URL must be a Redis URL',
    'set REDIS_URL to redis://127.0.0.1:6379, or unset it',
  );
}

function roundsOf(values: readonly string[] | undefined): number | undefined {
  if (values === undefined) return undefined;
  if (values.length > 1) throw new UsageError('--rounds is given twice');
  const [text] = values;
  const rounds = Number(text);
  if (!/^\d+$/.test(text!) || !(rounds >= 1) || !(rounds <= MAX_ROUNDS)) {
    throw new UsageError(`--rounds must be a whole number from 1 to ${MAX_ROUNDS}; got "${text}"`);
  }
  return rounds;
}
