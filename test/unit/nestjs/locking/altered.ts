import type { Backend } from 'bedrock-lock';
import type { LeaseDriver } from 'bedrock-lock/backend';

/** A backend with some verbs replaced. */
export function altered(
  backend: Backend,
  verbs: Partial<Backend> = {},
  leaseVerbs: Partial<LeaseDriver> = {},
): Backend {
  return over(backend, { leases: over(backend.leases, leaseVerbs), ...verbs });
}

function over<T extends object>(target: T, changes: Partial<T>): T {
  return new Proxy(target, {
    get(_target, key) {
      if (Object.hasOwn(changes, key)) return changes[key as keyof T];
      const value = Reflect.get(target, key, target) as unknown;
      return typeof value === 'function' ? (value as () => unknown).bind(target) : value;
    },
  });
}
