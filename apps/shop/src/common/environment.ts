import { SettingError } from './setting.error.js';

interface Bounds {
  readonly from: number;
  readonly to: number;
}

/** The value of an unset variable; without it, the variable is required. */
interface Fallback<T> {
  readonly otherwise?: T;
}

/** Longest time that a setting accepts, in ms: a day. */
const LONGEST_MS = 86_400_000;

/** The checked variables of a process. An empty one counts as unset. */
export class Environment {
  constructor(private readonly variables: Readonly<Record<string, string | undefined>>) {}

  /**
   * The first of the names that is set.
   * @throws SettingError naming the first, for another protocol or an invalid URL
   */
  url(names: readonly [string, ...string[]], protocols: readonly string[], fallback?: Fallback<string>): URL {
    const name = names.find((one) => this.#given(one) !== undefined) ?? names[0];
    const text = this.#given(name) ?? fallback?.otherwise;
    const url = text !== undefined && URL.canParse(text) ? new URL(text) : undefined;
    if (url !== undefined && url.host !== '' && protocols.includes(url.protocol)) return url;
    throw new SettingError(name, `a URL of ${protocols.map((one) => `${one}//`).join(' or ')}`, text);
  }

  /** @throws SettingError for anything but a whole number within the bounds */
  whole(name: string, { from, to, otherwise }: Bounds & Fallback<number>): number {
    const text = this.#given(name);
    if (text === undefined && otherwise !== undefined) return otherwise;
    const number = wholeNumber(text);
    if (number >= from && number <= to) return number;
    throw new SettingError(name, `a whole number from ${from} to ${to}`, text);
  }

  /** @throws SettingError for anything but whole milliseconds, at most a day */
  timeMs(name: string, otherwise: number, from = 1): number {
    return this.whole(name, { from, to: LONGEST_MS, otherwise });
  }

  /** Times separated by commas. @throws SettingError for an invalid one */
  timesMs(name: string, otherwise: readonly number[]): readonly number[] {
    const text = this.#given(name);
    if (text === undefined) return otherwise;
    const times = text.split(',').map((one) => wholeNumber(one.trim()));
    if (times.every((time) => time >= 0 && time <= LONGEST_MS)) return times;
    throw new SettingError(name, 'comma-separated milliseconds, such as 3000,5000,10000', text);
  }

  /** @throws SettingError for any other value */
  oneOf<T extends string>(name: string, values: readonly T[], otherwise: T): T {
    const text = this.#given(name) ?? otherwise;
    const found = values.find((value) => value === text);
    if (found === undefined) throw new SettingError(name, `one of ${values.join(', ')}`, text);
    return found;
  }

  /** @throws SettingError for a text that the pattern does not match */
  text(name: string, pattern: RegExp, requirement: string, otherwise: string): string {
    const text = this.#given(name) ?? otherwise;
    if (!pattern.test(text)) throw new SettingError(name, requirement, text);
    return text;
  }

  #given(name: string): string | undefined {
    const text = this.variables[name];
    return text === '' ? undefined : text;
  }
}

/** NaN for anything but digits: Number() would accept '', ' 1', '1e3' and '0x10' too. */
function wholeNumber(text: string | undefined): number {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
}
