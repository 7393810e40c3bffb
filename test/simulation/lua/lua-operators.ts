import {
  LuaError,
  LuaTable,
  toNumber,
  toText,
  typeOf,
  type LuaFunction,
  type LuaValue,
} from './lua-values.js';

// What compiled scripts do with their values. Only nil and false are false: 0 and '' are true.

export function truthy(value: LuaValue): boolean {
  return value !== undefined && value !== false;
}

function operand(value: LuaValue): number {
  if (typeof value === 'number') return value;
  const number = toNumber(value);
  if (number === undefined) throw new LuaError(`attempt to perform arithmetic on a ${typeOf(value)} value`);
  return number;
}

export const add = (a: LuaValue, b: LuaValue): number => operand(a) + operand(b);
export const subtract = (a: LuaValue, b: LuaValue): number => operand(a) - operand(b);
export const multiply = (a: LuaValue, b: LuaValue): number => operand(a) * operand(b);
export const divide = (a: LuaValue, b: LuaValue): number => operand(a) / operand(b);
export const negate = (a: LuaValue): number => -operand(a);

export function modulo(a: LuaValue, b: LuaValue): number {
  const [x, y] = [operand(a), operand(b)];
  return x - Math.floor(x / y) * y;
}

export function less(a: LuaValue, b: LuaValue): boolean {
  if (typeof a === 'number' && typeof b === 'number') return a < b;
  if (typeof a === 'string' && typeof b === 'string') return a < b;
  throw new LuaError(`attempt to compare ${typeOf(a)} with ${typeOf(b)}`);
}

export function lessOrEqual(a: LuaValue, b: LuaValue): boolean {
  if (typeof a === 'number' && typeof b === 'number') return a <= b;
  if (typeof a === 'string' && typeof b === 'string') return a <= b;
  throw new LuaError(`attempt to compare ${typeOf(a)} with ${typeOf(b)}`);
}

export const greater = (a: LuaValue, b: LuaValue): boolean => less(b, a);
export const greaterOrEqual = (a: LuaValue, b: LuaValue): boolean => lessOrEqual(b, a);

export function concat(a: LuaValue, b: LuaValue): string {
  const [left, right] = [toText(a), toText(b)];
  if (left === undefined || right === undefined)
    throw new LuaError(`attempt to concatenate a ${typeOf(left === undefined ? a : b)} value`);
  return left + right;
}

export function size(value: LuaValue): number {
  if (value instanceof LuaTable || typeof value === 'string') return value.length;
  throw new LuaError(`attempt to get length of a ${typeOf(value)} value`);
}

export function index(table: LuaValue, key: LuaValue): LuaValue {
  if (table instanceof LuaTable) return table.get(key);
  throw new LuaError(`attempt to index a ${typeOf(table)} value`);
}

export function store(table: LuaValue, key: LuaValue, value: LuaValue): void {
  if (!(table instanceof LuaTable)) throw new LuaError(`attempt to index a ${typeOf(table)} value`);
  table.set(key, value);
}

/** The number that a loop counts from, to or by. */
export function bound(value: LuaValue): number {
  const number = toNumber(value);
  if (number === undefined) throw new LuaError("'for' limit must be a number");
  return number;
}

export function callable(value: LuaValue): LuaFunction {
  if (typeof value !== 'function') throw new LuaError(`attempt to call a ${typeOf(value)} value`);
  return value;
}
