import 'reflect-metadata';
import type { Method } from './locked.method.js';

/**
 * A function that looks like the original: it has its name, length, own properties and metadata, so the marks of
 * decorators below apply to it too.
 */
export function wrapperOf(original: Method, call: (self: object, args: unknown[]) => unknown): Method {
  const wrapper = function (this: object, ...args: unknown[]): unknown {
    return call(this, args);
  };
  for (const key of Reflect.ownKeys(original)) {
    if (key === 'prototype' || key === 'arguments' || key === 'caller') continue;
    Object.defineProperty(wrapper, key, Object.getOwnPropertyDescriptor(original, key)!);
  }
  for (const key of Reflect.getOwnMetadataKeys(original) as unknown[]) {
    Reflect.defineMetadata(key, Reflect.getOwnMetadata(key, original), wrapper);
  }
  return wrapper;
}
