import type { SerializerRules } from './serializer.rules.js';

/** Why a method's result is not stored. */
export class UnstorableResultError extends Error {}

/** Values that are read once, or that JSON cannot restore, each with its test. */
const NO_JSON: Readonly<Record<string, (value: object) => boolean>> = {
  'a stream': (value) => isFunction(value, 'pipe') || isFunction(value, 'getReader'),
  'an Observable': (value) => isFunction(value, 'subscribe'),
  'a file': (value) => isFunction(value, 'getStream') || isFunction(value, 'arrayBuffer'),
  'an iterator': (value) => isFunction(value, Symbol.asyncIterator) || isFunction(value, 'next'),
  bytes: (value) => ArrayBuffer.isView(value) || value instanceof ArrayBuffer,
  'a Map or a Set': (value) => value instanceof Map || value instanceof Set,
};

/**
 * Accepts a result that JSON can restore for repetitions.
 * @throws UnstorableResultError for a value that JSON cannot restore, and for an instance with class-transformer rules:
 * restored without its class, it would expose the fields that the rules hide
 */
export function assertStorable(result: unknown, hasRules: SerializerRules): void {
  JSON.stringify({ result }, function (this: Record<string, unknown>, name, json: unknown) {
    // The value before its `toJSON()`.
    const value = this[name];
    if (typeof value !== 'object' || value === null) return json;
    const kind = Object.keys(NO_JSON).find((one) => NO_JSON[one]!(value));
    if (kind !== undefined) throw new UnstorableResultError(`its result has ${kind}`);
    if (hasRules(value))
      throw new UnstorableResultError(
        `its result has a ${value.constructor.name}, which has rules for class-transformer: return a plain object`,
      );
    return json;
  });
}

function isFunction(value: object, name: PropertyKey): boolean {
  return typeof (value as Record<PropertyKey, unknown>)[name] === 'function';
}
