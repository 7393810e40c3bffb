import { Inject } from '@nestjs/common';
import { getIdempotencyToken } from '../core/lock.constants.js';

/**
 * Injects registered idempotency: `constructor(@InjectIdempotency('payments') private readonly payments: Idempotency)`.
 * @param backend only needed where the same name is registered on several backends
 * @throws InvalidOptionError for a bad name
 */
export function InjectIdempotency(name: string, backend?: string): ParameterDecorator & PropertyDecorator {
  return Inject(getIdempotencyToken(name, backend));
}
