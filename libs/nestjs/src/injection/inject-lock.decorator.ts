import { Inject } from '@nestjs/common';
import { injectedLocks } from './injected-lock.metadata.js';
import { getLockToken } from '../core/lock.constants.js';

/**
 * Injects a registered lock: `constructor(@InjectLock('inventory') private readonly inventory: Mutex)`. The declared
 * class must be that of the lock's kind; the start checks it if the class is imported as a value.
 * @param backend needed only if several backends register the same name
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
