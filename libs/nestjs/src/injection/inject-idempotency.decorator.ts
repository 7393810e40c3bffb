import { Inject } from '@nestjs/common';
import { getIdempotencyToken } from '../core/lock.constants.js';

/**
 * Injects registered idempotency: `constructor(@InjectIdempotency('payments') private readonly payments: Idempotency)`.
 * @param backend needed only if several backends register the same name
 * @throws InvalidOptionError for a bad name
 */
export function InjectIdempotency(name: string, backend?: string): ParameterDecorator & PropertyDecorator {
  return Inject(getIdempotencyToken(name, backend));
}
