import type { SerializerRules } from './serializer.rules.js';

/** Why the result of a method is not stored. */
export class UnstorableResultError extends Error {}

/** What is read once, or of which JSON keeps nothing that could be given again, by what tells it. */
const NO_JSON: Readonly<Record<string, (value: object) => boolean>> = {
  'a stream': (value) => isFunction(value, 'pipe') || isFunction(value, 'getReader'),
  'an Observable': (value) => isFunction(value, 'subscribe'),
  'a file': (value) => isFunction(value, 'getStream') || isFunction(value, 'arrayBuffer'),
  'an iterator': (value) => isFunction(value, Symbol.asyncIterator) || isFunction(value, 'next'),
  bytes: (value) => ArrayBuffer.isView(value) || value instanceof ArrayBuffer,
  'a Map or a Set': (value) => value instanceof Map || value instanceof Set,
};

/**
 * Lets a result through that repetitions may get out of JSON.
 * @throws UnstorableResultError for what JSON cannot give again, and for instances of classes with rules for class-transformer:
 * without its class nothing hides what they hide
 */
export function assertStorable(result: unknown, hasRules: SerializerRules): void {
  JSON.stringify({ result }, function (this: Record<string, unknown>, name, json: unknown) {
    // What it is before its toJSON().
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
