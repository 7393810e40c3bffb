import { InvalidOptionError } from 'bedrock-lock';
import { checkHoldAtLeast, checkLease } from 'bedrock-lock/integration';
import { withErrorContext } from '../core/error-context.js';
import { handlerKind } from '../core/handler.kind.js';
import { lockKeys } from '../keys/lock-key.metadata.js';
import type { LockRegistry } from '../registry/lock.registry.js';
import type { LockSpec } from '../options/lock-spec.js';
import { lockedMethods, type LockedMethod } from './locked.method.js';
import { methodLabel } from '../core/method.metadata.js';
import { isScheduled, MissedTicks } from './scheduled.method.js';

/** Nest runs this hook after `LockRegistry.beforeApplicationShutdown()`, so a locked method would always fail. */
const HOOK_AFTER_CLOSE = 'onApplicationShutdown';

/**
 * Checks the decorated methods of one prototype against the running application, and returns them.
 * @throws InvalidOptionError naming the method: a lock that is not registered or of another kind, one lock twice in
 * different ways, a lease that the backend does not support, `onBusy: 'skip'` on a handler, a hook that comes too late,
 * `@LockKey()` without `@DistributedLock()`
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
    if (key === HOOK_AFTER_CLOSE) {
      const requirement = `left off ${method.label}: the locks are closed by then; use beforeApplicationShutdown()`;
      throw new InvalidOptionError('@DistributedLock()', requirement, key);
    }
    withErrorContext(method.label, () => checkSpecs(method, handler, registry));
    if (typeof value === 'function' && isScheduled(value)) method.ticks ??= new MissedTicks(method.label);
  }
  return [...methods.values()];
}

function checkSpecs(
  { specs, innerSpecs }: LockedMethod,
  handler: string | undefined,
  registry: LockRegistry,
): void {
  for (const spec of specs) checkSpec(spec, handler, registry);
  for (const spec of innerSpecs) refuseSecondPermits(spec, registry);
  specs.forEach((spec, index) => {
    for (const other of specs.slice(index + 1)) refuseConflictingReference(spec, other, registry);
  });
}

function checkSpec(spec: LockSpec, handler: string | undefined, registry: LockRegistry): void {
  const { traits, name } = registry.bedrock(registry.boundLockOf(spec).backend).backend;
  const { leaseMs, holdAtLeastMs } = spec.call ?? {};
  if (holdAtLeastMs !== undefined) checkHoldAtLeast(holdAtLeastMs, traits, name);
  if (leaseMs !== undefined) checkLease(leaseMs, traits);
  if (spec.onBusy === 'skip' && handler !== undefined) {
    // An empty success would make the caller believe that the work was done.
    throw new InvalidOptionError('onBusy', `'throw' or a function on ${handler}`, 'skip');
  }
}

/** The method would acquire them again below the other decorator: permits are not re-entrant. */
function refuseSecondPermits(spec: LockSpec, registry: LockRegistry): void {
  if (registry.find(spec).kind !== 'semaphore') return;
  const requirement = 'next to each other if one names a semaphore: its permits would be acquired twice';
  throw new InvalidOptionError('@DistributedLock()', requirement, spec.lock);
}

/** A method acquires each resource once, so two decorators must not request different things of it. */
function refuseConflictingReference(spec: LockSpec, other: LockSpec, registry: LockRegistry): void {
  if (registry.find(spec) !== registry.find(other) || keyOf(spec) !== keyOf(other)) return;
  for (const field of ['mode', 'permits'] as const) {
    if (spec[field] === other[field]) continue;
    const requirement = `given once for "${spec.lock}" with this key, in one decorator that requests all of it`;
    throw new InvalidOptionError(field, requirement, spec[field] ?? other[field]);
  }
}

function keyOf({ template, key }: LockSpec): unknown {
  return template?.text ?? key;
}
