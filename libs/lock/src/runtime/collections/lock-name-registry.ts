import { describe, InvalidOptionError } from '../../core/errors.js';
import { SecretKeys } from '../../core/options/secret-keys.js';

interface RegistryEntry {
  readonly kind: string;
  readonly settings: object;
  readonly created: unknown;
}

/** The origin of a resource: the object with the longest name that the resource begins with. */
export interface LockOrigin {
  readonly name: string;
  readonly kind: string;
}

/** The names of locks, and the locks that were created with them. */
export class LockNameRegistry {
  readonly #entries = new Map<string, RegistryEntry>();

  /**
   * Whose resource it is: its own name, or one with the parts of a key behind it. @param resource
   * without the prefix
   */
  originOf(resource: string): LockOrigin | undefined {
    for (let end = resource.length; end > 0; end = resource.lastIndexOf(':', end - 1)) {
      const name = resource.slice(0, end);
      const entry = this.#entries.get(name);
      if (entry !== undefined) return { name, kind: entry.kind };
    }
    return undefined;
  }

  /**
   * Creates each object once: the same name gives the same object, for the same kind and settings
   * alone.
   * @param options as the caller gave them, for the error
   * @throws InvalidOptionError
   */
  getOrCreate<L>(kind: string, name: string, options: object, settings: object, create: () => L): L {
    const known = this.#entries.get(name);
    if (known === undefined) {
      const created = create();
      this.#entries.set(name, { kind, settings, created });
      return created;
    }
    if (known.kind !== kind)
      throw new InvalidOptionError('name', `one that is not a ${known.kind} already`, name);
    const changed = [...new Set(differences(known.settings, settings))];
    if (changed.length === 0) return known.created as L;
    const wanted = `those that lock "${name}" was created with (a lock is created once): ${changed.join(', ')}`;
    throw new InvalidOptionError('options', wanted, options);
  }
}

/** What differs, as `leaseMs 5000`, with the earlier values. */
function differences(earlier: object, later: object): string[] {
  const before = Object.entries(earlier) as [string, unknown][];
  const after = new Map<string, unknown>(Object.entries(later));
  return before.flatMap(([key, value]) => {
    const now = after.get(key);
    // Their bytes are never shown.
    if (value instanceof SecretKeys) return value.equals(now) ? [] : [`another ${key}`];
    if (typeof value === 'object' && value !== null && typeof now === 'object' && now !== null)
      return differences(value, now);
    return Object.is(value, now) ? [] : [`${key} ${describe(value)}`];
  });
}
