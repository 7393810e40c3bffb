import { checkFields, checkWhole } from '../checks.js';
import { permits, READERS } from '../claim.js';
import {
  CALL_FIELDS,
  callSettings,
  LOCK_FIELDS,
  resolveLockSettings,
  withDefaults,
  type CallOptions,
  type LockOptions,
  type LockSettings,
} from './options.js';
import type { Traits } from '../ports/ports.js';

/** Options of a semaphore, set where it is created. */
export interface SemaphoreOptions extends Omit<LockOptions, 'fencing' | 'reentrant'> {
  /** How many permits there are, over all processes; from 1 to 2^31 - 2. Every process must say the same. */
  readonly permits: number;
}

/** Options of one call; they override those of the semaphore. */
export interface SemaphoreCallOptions extends CallOptions {
  /** How many permits are wanted, all or none; from 1 to those of the semaphore. @default 1 */
  readonly permits?: number;
}

/** The resolved, checked and frozen options of a semaphore. */
export interface SemaphoreSettings extends Omit<LockSettings, 'shape'> {
  readonly permits: number;
}

const FIELDS: ReadonlySet<string> = new Set(
  ['permits', ...LOCK_FIELDS].filter((name) => name !== 'fencing' && name !== 'reentrant'),
);
const PERMITS_CALL_FIELDS: ReadonlySet<string> = new Set(['permits', ...CALL_FIELDS]);

/** Numbers of permits whose settings are kept. */
const CACHE_SIZE = 1_024;

/** Checks and completes the options of a semaphore. @throws InvalidOptionError, UnsupportedByBackendError */
export function resolveSemaphoreSettings(
  options: SemaphoreOptions,
  defaults: LockOptions,
  traits: Traits,
  backend: string,
): SemaphoreSettings {
  checkFields('options', options, FIELDS);
  const { permits: count, ...others } = options;
  const capacity = checkWhole('permits', count, 1, READERS - 1);
  // Holders of shared permits have no order that a token could show, and a nested call takes permits of its own.
  const all = { ...withDefaults(others, defaults), fencing: false, reentrant: false };
  const { shape, ...settings } = resolveLockSettings(all, traits, backend, permits(1, capacity));
  return Object.freeze({ ...settings, permits: shape.capacity });
}

/**
 * The settings of calls, by their number of permits. The same number gives the same object. The
 * engine compares shapes by identity to know which callers may hand over to each other.
 */
export class PermitSettingsCache {
  readonly #settings = new Map<number, LockSettings>();

  constructor(readonly semaphore: SemaphoreSettings) {}

  of(count: number): LockSettings {
    let settings = this.#settings.get(count);
    if (settings === undefined) {
      // Weights without end must not fill the memory; the few hot ones are back at once.
      if (this.#settings.size >= CACHE_SIZE) this.#settings.clear();
      settings = Object.freeze({ ...this.semaphore, shape: permits(count, this.semaphore.permits) });
      this.#settings.set(count, settings);
    }
    return settings;
  }

  /** Applies the options of one call. @throws InvalidOptionError */
  ofCall(call: SemaphoreCallOptions | undefined, traits: Traits, backend: string): LockSettings {
    if (call === undefined) return this.of(1);
    checkFields('options', call, PERMITS_CALL_FIELDS);
    const { permits: count = 1, ...others } = call;
    return callSettings(
      this.of(checkWhole('permits', count, 1, this.semaphore.permits)),
      others,
      traits,
      backend,
    );
  }
}
