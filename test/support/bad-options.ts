import { InvalidOptionError } from 'bedrock-lock';
import { thrownBy } from './thrown-by.js';

/**
 * Options that a backend must refuse, the field that its error must name, and a description for options that JSON
 * cannot show.
 */
export type BadOptions = readonly [field: string, options: unknown, words?: string];

type WrongValues = Readonly<Record<string, readonly unknown[]>>;

/** Wrong values of the options that all backends share. */
const OF_EVERY_BACKEND: WrongValues = {
  label: [5, '\n', 'a\nb'],
  operationTimeoutMs: [0, NaN, '5', Infinity],
  maxLeaseMs: [49, 100.5, 2 ** 31, Infinity],
  clock: ['now', {}],
};

/** Wrong values of the options that databases share as well. */
const OF_DATABASES: WrongValues = {
  connections: [0, 1.5],
  keepRowsMs: [-1, Infinity],
  tablePrefix: ['', '1st_', 'a`b', 'a"; DROP TABLE x; --', 'x'.repeat(31)],
};

/** @param good options that the backend accepts; each row adds one wrong value */
export function badOptions(good: object): BadOptions[] {
  const noObjects = [undefined, null, 7, []].map((options): BadOptions => ['options', options]);
  return [...noObjects, ['options.unknown', { ...good, unknown: 'x' }], ...rowsOf(OF_EVERY_BACKEND, good)];
}

/** @param good options that the database's backend accepts */
export function badOptionsOfDatabase(good: object): BadOptions[] {
  return [...badOptions(good), ...rowsOf(OF_DATABASES, good)];
}

function rowsOf(wrong: WrongValues, good: object): BadOptions[] {
  return Object.entries(wrong).flatMap(([field, values]) =>
    values.map((value): BadOptions => [field, { ...good, [field]: value }]),
  );
}

/** A test for each row. No error may show a password; every row uses the password `secret`. */
export function refusesBadOptions(make: (options: never) => unknown, rows: readonly BadOptions[]): void {
  it.each(rows.map(([field, options, words = shown(options)]) => [field, words, options] as const))(
    '%s: refused before anything is sent: %s',
    (field, _words, options) => {
      const error = thrownBy(() => make(options as never));
      expect(error).toBeInstanceOf(InvalidOptionError);
      expect(error).toMatchObject({ field });
      expect(String(error)).not.toContain('secret');
    },
  );
}

const LONGEST = 80;

/** The options in a title, since JSON alone would hide numbers, functions and clients. */
function shown(options: unknown): string {
  const text = JSON.stringify(options, (_key, value: unknown) => {
    if (value === undefined || (typeof value === 'number' && !Number.isFinite(value))) return String(value);
    if (typeof value === 'function') return `function ${value.name}`;
    return isPlain(value) ? value : `a ${(value as object).constructor.name}`;
  });
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

function isPlain(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return true;
  return [Object.prototype, null].includes(Object.getPrototypeOf(value) as object | null);
}
