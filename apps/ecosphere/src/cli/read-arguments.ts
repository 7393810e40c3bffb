import { parseArgs } from 'node:util';
import { nearestName } from './nearest-name.js';
import { OPTION_NAMES, optionRow, type OptionName } from './option-table.js';
import { UsageError } from './usage.error.js';

/** The options that were given, as text; a flag has the empty text. */
export type GivenOptions = ReadonlyMap<OptionName, string>;

const FLAGS_AND_VALUES = Object.fromEntries(
  OPTION_NAMES.map((name) => [
    name,
    { type: optionRow(name).value === undefined ? ('boolean' as const) : ('string' as const) },
  ]),
);

/**
 * Reads the command line. It walks the tokens instead of taking the parser's own errors, which would not say what to do.
 * @throws UsageError for an unknown, doubled or misplaced option, a missing value, or a stray word
 */
export function readArguments(args: readonly string[]): GivenOptions {
  const { tokens } = parseArgs({
    args: args.map((arg) => (arg === '-h' ? '--help' : arg)),
    options: FLAGS_AND_VALUES,
    strict: false,
    tokens: true,
  });
  const given = new Map<OptionName, string>();
  for (const token of tokens) {
    if (token.kind === 'option-terminator') continue;
    if (token.kind === 'positional') throw stray(token.value);
    const name = knownName(token.name, token.rawName);
    if (given.has(name)) throw new UsageError(`--${name} is given twice`);
    given.set(name, valueOf(name, token.value));
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
  const { value: shape, words } = optionRow(name);
  if (shape === undefined) {
    if (value !== undefined) throw new UsageError(`--${name} takes no value; got "${value}"`);
    return '';
  }
  // "--url --processes 4": the parser takes the next option for the value.
  if (value === undefined || value === '' || value.startsWith('--')) {
    const example = words === undefined ? shape : words.join(' | ');
    throw new UsageError(`--${name} needs a value`, `--${name} ${example}`);
  }
  return value;
}

function stray(word: string): UsageError {
  const meant = nearestName(word, OPTION_NAMES);
  return new UsageError(`"${word}" belongs to no option`, meant && `did you mean --${meant}?`);
}
