import { checkWhole, InvalidOptionError } from 'bedrock-lock';
import { at } from './error.place.js';
import { handlerKind } from './handler.kind.js';
import { lockKeys } from './lock-key.metadata.js';
import type { LockRegistry } from './lock.registry.js';
import type { LockSpec } from './lock-spec.js';
import { lockedMethods, type LockedMethod } from './locked.method.js';
import { methodLabel } from './method.metadata.js';

/** The hook of Nest that runs after `LockRegistry.beforeApplicationShutdown()`: such a method would fail each time. */
const AFTER_CLOSING = 'onApplicationShutdown';

/**
 * Checks what only the running application can tell about the decorated methods of one prototype, and gives them back.
 * @throws InvalidOptionError naming the method: a lock that is not registered, a lease that the backend does not give,
 * `onBusy: 'skip'` on a handler, a hook that comes too late, `@LockKey()` without `@DistributedLock()`
 */
export function checkLockedMethods(prototype: object, registry: LockRegistry): readonly LockedMethod[] {
  const methods = lockedMethods.of(prototype);
  for (const key of lockKeys.of(prototype).keys()) {
    if (methods.has(key)) continue;
    const requirement = `joined by @DistributedLock() on ${methodLabel(prototype, key)}: nothing is locked`;
    throw new InvalidOptionError('@LockKey()', requirement, undefined);
  }
  for (const [key, method] of methods) {
    const value: unknown = Object.getOwnPropertyDescriptor(prototype, key)?.value;
    const handler = typeof value === 'function' ? handlerKind(value) : undefined;
    if (key === AFTER_CLOSING) {
      const requirement = `left off ${method.label}: the locks are closed by then; use beforeApplicationShutdown()`;
      throw new InvalidOptionError('@DistributedLock()', requirement, key);
    }
    for (const spec of method.specs) at(method.label, () => checkSpec(spec, handler, registry));
  }
  return [...methods.values()];
}

function checkSpec(spec: LockSpec, handler: string | undefined, registry: LockRegistry): void {
  const { traits } = registry.bedrock(registry.find(spec).backend).backend;
  const leaseMs = spec.call?.leaseMs;
  if (leaseMs !== undefined) checkWhole('leaseMs', leaseMs, traits.minLeaseMs, traits.maxLeaseMs);
  if (spec.onBusy === 'skip' && handler !== undefined) {
    // An empty success would tell the caller that the work was done.
    throw new InvalidOptionError('onBusy', `'throw' or a function on ${handler}`, 'skip');
  }
}
