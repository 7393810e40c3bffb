import { parseArgs } from 'node:util';
import type { LocksBackend } from '../stock/lock-backend.js';
import { OPTION_TABLE, type OptionName, type OptionRow } from './option-table.js';
import type { RunCommand } from './run-options.js';
import { UsageError } from './usage.error.js';

type Given = ReadonlyMap<OptionName, string>;

const PORT_OF_THE_PAGE = 3_000;

/** Parses the arguments. @throws UsageError for a request that cannot run */
export function parseRun(args: readonly string[]): RunCommand {
  const given = readOptions(args);
  if (given.has('help')) return { kind: 'help' };
  const isServing = given.has('serve');
  return {
    kind: 'run',
    orders: numberOf(given, 'orders', 200),
    goods: numberOf(given, 'goods', 10),
    locks: wordOf(given, 'locks', 'zookeeper') as LocksBackend,
    hasFaults: !given.has('no-faults'),
    isServing,
    port: numberOf(given, 'port', isServing ? PORT_OF_THE_PAGE : 0),
  };
}

/** Walks the tokens, since the parser's own errors do not advise the caller. */
function readOptions(args: readonly string[]): Given {
  const { tokens } = parseArgs({
    args: args.map((arg) => (arg === '-h' ? '--help' : arg)),
    options: Object.fromEntries(
      Object.entries<OptionRow>(OPTION_TABLE).map(
        ([name, { value }]) => [name, { type: value === undefined ? 'boolean' : 'string' }] as const,
      ),
    ),
    strict: false,
    tokens: true,
  });
  const given = new Map<OptionName, string>();
  for (const token of tokens) {
    if (token.kind === 'option-terminator') continue;
    if (token.kind === 'positional')
      throw new UsageError(token.value, `"${token.value}" belongs to no option`);
    if (!Object.hasOwn(OPTION_TABLE, token.name)) {
      throw new UsageError(token.rawName, `unknown option ${token.rawName}`);
    }
    const name = token.name as OptionName;
    if (given.has(name)) throw new UsageError(`--${name}`, `--${name} is given twice`);
    given.set(name, valueOf(name, token.value));
  }
  return given;
}

/** The empty text for a flag. */
function valueOf(name: OptionName, value: string | undefined): string {
  const { value: shape }: OptionRow = OPTION_TABLE[name];
  if (shape === undefined) {
    if (value !== undefined) throw new UsageError(`--${name}`, `--${name} takes no value; got "${value}"`);
    return '';
  }
  // "--port --serve": the parser takes the next option for the value.
  if (value === undefined || value === '' || value.startsWith('--')) {
    throw new UsageError(`--${name}`, `--${name} needs a value`, `--${name} ${shape}`);
  }
  return value;
}

function numberOf(given: Given, name: OptionName, otherwise: number): number {
  const text = given.get(name);
  if (text === undefined) return otherwise;
  const { range }: OptionRow = OPTION_TABLE[name];
  const [min, max] = range!;
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw new UsageError(`--${name}`, `--${name} must be a whole number from ${min} to ${max}; got "${text}"`);
}

function wordOf(given: Given, name: OptionName, otherwise: string): string {
  const word = given.get(name) ?? otherwise;
  const { words }: OptionRow = OPTION_TABLE[name];
  if (words!.includes(word)) return word;
  throw new UsageError(`--${name}`, `--${name} must be one of ${words!.join(', ')}; got "${word}"`);
}
