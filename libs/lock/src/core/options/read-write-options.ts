import { READER, WRITER } from '../claim.js';
import { checkObject } from '../checks.js';
import { resolveTerms, withDefaults, type LockOptions, type Terms } from './options.js';
import type { Traits } from '../ports/ports.js';

/** The resolved options of both sides of a read-write lock. */
export interface ReadWriteTerms {
  readonly read: Terms;
  readonly write: Terms;
}

/** Checks and completes the options; readers have no order, and so no tokens. @throws InvalidOptionError, UnsupportedByBackendError */
export function resolveReadWriteTerms(
  options: LockOptions,
  defaults: LockOptions,
  traits: Traits,
  backend: string,
): ReadWriteTerms {
  checkObject('options', options);
  const all = withDefaults(options, defaults);
  const write = resolveTerms(all, traits, backend, WRITER);
  return { write, read: resolveTerms({ ...all, fencing: false }, traits, backend, READER) };
}
