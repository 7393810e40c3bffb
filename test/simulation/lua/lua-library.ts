import {
  all,
  first,
  LuaError,
  LuaTable,
  Several,
  toNumber,
  toText,
  typeOf,
  type LuaFunction,
  type LuaValue,
} from './lua-values.js';
import { patternOf } from './lua-patterns.js';

function text(value: LuaValue): string {
  const given = toText(value);
  if (given === undefined) throw new LuaError(`bad argument (string expected, got ${typeOf(value)})`);
  return given;
}

function number(value: LuaValue): number {
  const given = toNumber(value);
  if (given === undefined) throw new LuaError(`bad argument (number expected, got ${typeOf(value)})`);
  return given;
}

/** What a match gives: its captures, or all of it where there are none. */
function captures(match: RegExpExecArray): LuaValue[] {
  return match.length > 1 ? match.slice(1) : [match[0]];
}

/** As `%.0f` has it: a half goes to the even one. */
function whole(value: number): string {
  const floor = Math.floor(value);
  const isEvenHalf = value - floor === 0.5 && floor % 2 === 0;
  const rounded = isEvenHalf ? floor : Math.round(value);
  return Object.is(rounded, -0) ? '-0' : BigInt(rounded).toString();
}

function format(pattern: LuaValue, ...args: LuaValue[]): string {
  let next = 0;
  return text(pattern).replace(/%(%|s|d|\.0f|.)/g, (_, spec: string) => {
    if (spec === '%') return '%';
    const value = args[next++];
    if (spec === 's') return text(value);
    if (spec === 'd') return String(Math.trunc(number(value)));
    if (spec === '.0f') return whole(number(value));
    throw new Error(`string.format("%${spec}") is not supported`);
  });
}

function gsub(subject: LuaValue, pattern: LuaValue, by: LuaValue): Several {
  let count = 0;
  const { source, flags } = patternOf(text(pattern));
  if (typeof by === 'string' && by.includes('%'))
    throw new Error('captures in a replacement are not supported');
  const replaced = text(subject).replace(new RegExp(source, `${flags}g`), (match, ...rest: unknown[]) => {
    count += 1;
    if (typeof by !== 'function') return text(by);
    const caught = rest.filter((one, at) => at < rest.length - 2 && typeof one === 'string') as string[];
    const given = first(by(...(caught.length > 0 ? caught : [match])));
    return given === undefined || given === false ? match : text(given);
  });
  return new Several([replaced, count]);
}

function find(
  subject: LuaValue,
  pattern: LuaValue,
  from: LuaValue = 1,
  plain?: LuaValue,
): LuaValue | Several {
  if (from !== 1) throw new Error('string.find from elsewhere is not supported');
  if (plain === true) {
    const at = text(subject).indexOf(text(pattern));
    return at < 0 ? undefined : new Several([at + 1, at + text(pattern).length]);
  }
  const match = patternOf(text(pattern)).exec(text(subject));
  return match === null
    ? undefined
    : new Several([match.index + 1, match.index + match[0].length, ...match.slice(1)]);
}

function sub(subject: LuaValue, from: LuaValue, to: LuaValue = -1): string {
  const given = text(subject);
  const place = (at: number): number => (at < 0 ? Math.max(given.length + at + 1, 0) : at);
  return given.slice(Math.max(place(number(from)), 1) - 1, place(number(to)));
}

/** The functions of Lua that scripts may use, by their full names. */
export const LIBRARY: Readonly<Record<string, LuaFunction>> = {
  type: (value) => typeOf(value),
  tostring: (value) =>
    toText(value) ??
    (value === undefined ? 'nil' : typeof value === 'boolean' ? String(value) : typeOf(value)),
  tonumber(value, base) {
    if (base === undefined || base === 10) return toNumber(value);
    if (base !== 16) throw new Error('tonumber in this base is not supported');
    return /^[0-9a-fA-F]+$/.test(text(value)) ? Number.parseInt(text(value), 16) : undefined;
  },
  pcall(fn, ...args) {
    try {
      if (typeof fn !== 'function') throw new LuaError(`attempt to call a ${typeOf(fn)} value`);
      return new Several([true, ...all(fn(...args))]);
    } catch (error) {
      if (error instanceof LuaError) return new Several([false, error.value]);
      throw error;
    }
  },
  'math.floor': (value) => Math.floor(number(value)),
  'math.max': (...values) => Math.max(...values.map(number)),
  'math.min': (...values) => Math.min(...values.map(number)),
  'string.format': format,
  'string.gsub': gsub,
  'string.find': find,
  'string.sub': sub,
  'string.match'(subject, pattern) {
    const match = patternOf(text(pattern)).exec(text(subject));
    if (match === null) return undefined;
    return match.length > 2 ? new Several(captures(match)) : captures(match)[0];
  },
  'string.rep': (subject, times) => text(subject).repeat(Math.max(0, number(times))),
  'string.char': (...codes) => String.fromCharCode(...codes.map(number)),
  'table.insert'(table, at, ...rest) {
    if (!(table instanceof LuaTable)) throw new LuaError('bad argument (table expected)');
    if (rest.length === 0) table.set(table.length + 1, at);
    else table.insert(number(at), rest[0]);
    return undefined;
  },
};
