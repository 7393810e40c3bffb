import type { KeyPart } from 'bedrock-lock';
import { MethodMetadata } from '../core/method.metadata.js';

/** A parameter with `@LockKey()`. */
export interface LockKeyParameter {
  readonly index: number;
  /** @throws InvalidOptionError naming the parameter */
  readonly read: (args: readonly unknown[]) => KeyPart;
}

/** The `@LockKey()` parameters of methods, in parameter order. */
export const lockKeys = new MethodMetadata<readonly LockKeyParameter[]>('bedrock:lock-keys');

export function addLockKey(prototype: object, key: string | symbol, parameter: LockKeyParameter): void {
  const known = lockKeys.of(prototype).get(key) ?? [];
  // Decorators of one parameter run last to first, so the newest goes before those of equal index.
  const all = [parameter, ...known].sort((one, other) => one.index - other.index);
  lockKeys.set(prototype, key, all);
}
