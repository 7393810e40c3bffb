import { READER, WRITER } from '../claim.js';
import { checkObject } from '../checks.js';
import { resolveLockSettings, withDefaults, type LockOptions, type LockSettings } from './options.js';
import type { Traits } from '../ports/ports.js';

/** The resolved options of both sides of a read-write lock. */
export interface ReadWriteSettings {
  readonly read: LockSettings;
  readonly write: LockSettings;
}

/**
 * Checks and completes the options; readers have no order, and so no tokens. @throws
 * InvalidOptionError, UnsupportedByBackendError
 */
export function resolveReadWriteSettings(
  options: LockOptions,
  defaults: LockOptions,
  traits: Traits,
  backend: string,
): ReadWriteSettings {
  checkObject('options', options);
  const all = withDefaults(options, defaults);
  const write = resolveLockSettings(all, traits, backend, WRITER);
  return { write, read: resolveLockSettings({ ...all, fencing: false }, traits, backend, READER) };
}
