import { checkFields, checkTime } from '../checks.js';
import { MAX_TIMER_MS } from '../clock.js';
import { InvalidOptionError } from '../errors.js';

/**
 * How a waiting head asks again where nothing wakes it. A pause lasts from half of its length to
 * the whole, at random. So processes that were refused together do not ask together again.
 */
export interface SpinOptions {
  /** The first pause, in ms. @default 1 */
  readonly firstMs?: number;
  /** The longest pause, in ms. @default 128 */
  readonly lastMs?: number;
  /** Each pause is so many times as long as the one before, from 1 to 16. @default 2 */
  readonly factor?: number;
}

/** The complete options. */
export type SpinSettings = Required<SpinOptions>;

const FIELDS: ReadonlySet<string> = new Set<keyof SpinOptions>(['firstMs', 'lastMs', 'factor']);
const LARGEST_FACTOR = 16;

/** Undefined for a lock that does not spin. @throws InvalidOptionError */
export function resolveSpin(spin: unknown): SpinSettings | undefined {
  if (spin === false) return undefined;
  const options: unknown = spin === true ? {} : spin;
  if (typeof options !== 'object') throw new InvalidOptionError('spin', 'true, false or an object', spin);
  checkFields('spin', options, FIELDS);
  const { firstMs = 1, lastMs = 128, factor = 2 } = options as SpinOptions;
  const first = checkTime('spin.firstMs', firstMs, 1, MAX_TIMER_MS);
  return Object.freeze({
    firstMs: first,
    lastMs: checkTime('spin.lastMs', lastMs, first, MAX_TIMER_MS),
    factor: checkFactor(factor),
  });
}

function checkFactor(value: unknown): number {
  if (typeof value === 'number' && value >= 1 && value <= LARGEST_FACTOR) return value;
  throw new InvalidOptionError('spin.factor', `a number from 1 to ${LARGEST_FACTOR}`, value);
}
