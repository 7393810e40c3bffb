import { InvalidOptionError } from 'bedrock-lock';
import { checkKeyPart, parsePath, readPath } from './key.path.js';
import { addLockKey } from './lock-key.metadata.js';
import { methodLabel } from '../core/method.metadata.js';

/**
 * Makes a parameter part of the lock's key: `place(@LockKey() id: number, @LockKey('shop.code') order: Order)` locks
 * `<lock>:<id>:<code>`, in parameter order. It applies to each `@DistributedLock()` of the method without a `key` of
 * its own.
 * @param path own property of the argument, with dots: `'id'`, `'shop.code'`; without it the argument itself
 * @throws InvalidOptionError for a bad path, and on anything but a parameter of an instance method
 */
export function LockKey(path?: string): ParameterDecorator {
  if (path !== undefined && typeof path !== 'string') {
    throw new InvalidOptionError('path', 'property names joined by dots', path);
  }
  const names = path === undefined ? [] : parsePath('path', path);
  return (target, key, index) => {
    if (key === undefined || typeof target === 'function') {
      throw new InvalidOptionError('@LockKey()', 'put on a parameter of an instance method', target);
    }
    const field = `@LockKey(${path === undefined ? '' : `'${path}'`}) of ${methodLabel(target, key)}`;
    const alternative = 'give @DistributedLock() a function as its key';
    addLockKey(target, key, {
      index,
      read: (args) => checkKeyPart(field, readPath(args, { field, index, names, alternative })),
    });
  };
}
