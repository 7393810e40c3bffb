import { BackendUnavailableError } from '../../core/errors.js';

/** Fencing tokens for each number of a change. */
export const TOKENS_PER_REVISION = 512;
/** With room for the changes that a large reservation skips. */
const MAX_REVISION = 2 ** 44 - 2 ** 16;

/**
 * The first token of a change. A number that is too great for it is an error: a smaller token would
 * let an older holder write.
 * @throws BackendUnavailableError
 */
export function tokenOf(revision: number, backend: string): number {
  if (revision > 0 && revision <= MAX_REVISION) return revision * TOKENS_PER_REVISION;
  throw new BackendUnavailableError(
    backend,
    `its number of changes, ${revision}, is too great for a token`,
    'no',
  );
}
