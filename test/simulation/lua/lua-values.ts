/** A value of Lua: nil is undefined; texts are byte strings, one character for each byte. */
export type LuaValue = undefined | boolean | number | string | LuaTable | LuaFunction;

/** Gives one value, or several as {@link Several}. */
export type LuaFunction = (...args: LuaValue[]) => LuaValue | Several;

/** More or fewer values than one, as a function returns them. */
export class Several {
  constructor(readonly values: readonly LuaValue[]) {}
}

/** What `error` raises: a text of Lua itself, or the table of a failed `redis.call`. */
export class LuaError extends Error {
  constructor(readonly value: LuaValue) {
    super(toText(value instanceof LuaTable ? value.get('err') : value));
  }
}

/** A table: what counts from 1 is kept as an array. */
export class LuaTable {
  readonly #array: LuaValue[];
  #fields: Map<LuaValue, LuaValue> | undefined;

  /** @param items from 1 on; trailing nils are dropped */
  constructor(items: LuaValue[] = []) {
    while (items.length > 0 && items[items.length - 1] === undefined) items.pop();
    this.#array = items;
  }

  get length(): number {
    return this.#array.length;
  }

  get(key: LuaValue): LuaValue {
    if (typeof key === 'number' && key >= 1 && key <= this.#array.length) return this.#array[key - 1];
    return this.#fields?.get(key);
  }

  set(key: LuaValue, value: LuaValue): void {
    if (key === undefined) throw new LuaError('table index is nil');
    const array = this.#array;
    if (typeof key === 'number' && key >= 1 && key <= array.length) {
      array[key - 1] = value;
      while (array.length > 0 && array[array.length - 1] === undefined) array.pop();
    } else if (key === array.length + 1) {
      if (value !== undefined) this.#append(value);
    } else if (value === undefined) this.#fields?.delete(key);
    else (this.#fields ??= new Map()).set(key, value);
  }

  insert(at: number, value: LuaValue): void {
    this.#array.splice(at - 1, 0, value);
  }

  #append(value: LuaValue): void {
    this.#array.push(value);
    const fields = this.#fields;
    // What was set beyond the end before belongs to the array now.
    for (let next = this.#array.length + 1; fields?.has(next) === true; next += 1) {
      this.#array.push(fields.get(next));
      fields.delete(next);
    }
  }
}

/** The first of what a call gives. */
export function first(given: LuaValue | Several): LuaValue {
  return given instanceof Several ? given.values[0] : given;
}

/** All of what a call gives. */
export function all(given: LuaValue | Several): readonly LuaValue[] {
  return given instanceof Several ? given.values : [given];
}

export function typeOf(value: LuaValue): string {
  if (value === undefined) return 'nil';
  return value instanceof LuaTable ? 'table' : typeof value;
}

const NUMERAL = /^\s*[+-]?(?:0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*$/;

/** A number, or a text of one; undefined for anything else. */
export function toNumber(value: LuaValue): number | undefined {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && NUMERAL.test(value) ? Number(value) : undefined;
}

/** `%.<digits>g` of C. */
export function formatG(value: number, digits: number): string {
  if (Object.is(value, -0)) return '-0';
  if (Number.isInteger(value) && Math.abs(value) < Math.min(10 ** digits, 1e21)) return String(value);
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'nan' : value > 0 ? 'inf' : '-inf';
  const [mantissa, exponent] = value.toExponential(digits - 1).split('e') as [string, string];
  const power = Number(exponent);
  if (power >= -4 && power < digits) {
    const fixed = value.toFixed(digits - 1 - power);
    return fixed.includes('.') ? fixed.replace(/\.?0+$/, '') : fixed;
  }
  const size = String(Math.abs(power)).padStart(2, '0');
  return `${mantissa.replace(/\.?0+$/, '')}e${power < 0 ? '-' : '+'}${size}`;
}

/** A text, or a number as Lua writes it; undefined for anything else. */
export function toText(value: LuaValue): string | undefined {
  return typeof value === 'number' ? formatG(value, 14) : typeof value === 'string' ? value : undefined;
}
