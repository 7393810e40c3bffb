import { Idempotency, InvalidOptionError } from 'bedrock-lock';
import type { IdempotentSpec } from './idempotent-spec.js';
import type { LockRegistry } from './lock.registry.js';

/** What a decorator names. @throws InvalidOptionError when it is not registered, or is a lock */
export function idempotencyOf(
  registry: LockRegistry,
  { idempotency: name, backend }: Pick<IdempotentSpec, 'idempotency' | 'backend'>,
): Idempotency {
  const { kind, lock } = registry.find({ lock: name, backend, kind: 'idempotency' });
  if (lock instanceof Idempotency) return lock;
  throw new InvalidOptionError(
    'idempotency',
    `registered as kind 'idempotency'; "${name}" is a ${kind}`,
    name,
  );
}
