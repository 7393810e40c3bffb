import { parseArgs } from 'node:util';
import { nearestName } from './nearest-name.js';
import type { OptionRow, OptionSet } from './option-row.js';
import { UsageError } from './usage.error.js';

/** The given options as text; a flag has the empty text, and a list has commas between its values. */
export type GivenOptions<N extends string> = ReadonlyMap<N, string>;

/**
 * Reads the command line. It walks the tokens, since the parser's own errors do not advise the caller.
 * @throws UsageError for an unknown, doubled or misplaced option, a missing value, or a stray word
 */
export function readArguments<N extends string>(args: readonly string[], set: OptionSet<N>): GivenOptions<N> {
  const rows = Object.entries<OptionRow>(set.rows);
  const { tokens } = parseArgs({
    args: args.map((arg) => (arg === '-h' ? '--help' : arg)),
    options: Object.fromEntries(
      rows.map(([name, { value }]) => [name, { type: value === undefined ? 'boolean' : 'string' }] as const),
    ),
    strict: false,
    tokens: true,
  });
  const given = new Map<N, string>();
  for (const token of tokens) {
    if (token.kind === 'option-terminator') continue;
    if (token.kind === 'positional') throw stray(token.value, set);
    const name = knownName(token.name, token.rawName, set);
    const value = valueOf(name, token.value, set);
    const before = given.get(name);
    if (before !== undefined && set.rows[name].isList !== true) {
      throw new UsageError(`--${name} is given twice`, set.hint);
    }
    given.set(name, before === undefined ? value : `${before},${value}`);
  }
  return given;
}

function knownName<N extends string>(name: string, rawName: string, set: OptionSet<N>): N {
  if (Object.hasOwn(set.rows, name)) return name as N;
  throw new UsageError(`unknown option ${rawName}`, meantBy(name, set));
}

function valueOf<N extends string>(name: N, value: string | undefined, set: OptionSet<N>): string {
  const { value: shape, words } = set.rows[name];
  if (shape === undefined) {
    if (value !== undefined) throw new UsageError(`--${name} takes no value; got "${value}"`, set.hint);
    return '';
  }
  // "--url --processes 4": the parser takes the next option for the value.
  if (value === undefined || value === '' || value.startsWith('--')) {
    const example = words === undefined ? shape : words.join(' | ');
    throw new UsageError(`--${name} needs a value`, `--${name} ${example}`);
  }
  return value;
}

function stray<N extends string>(word: string, set: OptionSet<N>): UsageError {
  return new UsageError(`"${word}" belongs to no option`, meantBy(word, set));
}

function meantBy<N extends string>(word: string, { rows, hint }: OptionSet<N>): string {
  const meant = nearestName(word, Object.keys(rows));
  return meant === undefined ? hint : `did you mean --${meant}?`;
}
