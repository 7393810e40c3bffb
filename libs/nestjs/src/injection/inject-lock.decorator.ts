import { Inject } from '@nestjs/common';
import { injectedLocks } from './injected-lock.metadata.js';
import { getLockToken } from '../core/lock.constants.js';

/**
 * Injects a registered lock: `constructor(@InjectLock('inventory') private readonly inventory: Mutex)`. What is declared
 * must be the class of the lock's kind, which the start checks where the class is imported as a value.
 * @param backend only needed where the same name is registered on several backends
 * @throws InvalidOptionError for a bad name
 */
export function InjectLock(name: string, backend?: string): ParameterDecorator & PropertyDecorator {
  const inject = Inject(getLockToken(name, backend));
  return (target: object, key: string | symbol | undefined, index?: number) => {
    if (index === undefined) inject(target, key!);
    else inject(target, key, index);
    injectedLocks.add(target, { lock: name, backend, place: index ?? key! });
  };
}
