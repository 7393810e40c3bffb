import { Inject } from '@nestjs/common';
import { getLockToken } from './lock.tokens.js';

/**
 * Injects a registered lock: `constructor(@InjectLock('inventory') private readonly inventory: Mutex)`.
 * @param backend only needed where the same name is registered on several backends
 * @throws InvalidOptionError for a bad name
 */
export function InjectLock(name: string, backend?: string): ParameterDecorator & PropertyDecorator {
  return Inject(getLockToken(name, backend));
}
