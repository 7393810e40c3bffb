import { BackendUnavailableError } from '../../core/errors.js';

/** Fencing tokens for each number of a change. */
export const TOKENS_PER_STAMP = 512;
/** With room for the changes that a large reservation skips. */
const MOST_STAMP = 2 ** 44 - 2 ** 16;

/**
 * The first token of a change. A number that is too great for it is an error: a smaller token would let an older holder write.
 * @throws BackendUnavailableError
 */
export function tokenOf(stamp: number, backend: string): number {
  if (stamp > 0 && stamp <= MOST_STAMP) return stamp * TOKENS_PER_STAMP;
  throw new BackendUnavailableError(
    backend,
    `its number of changes, ${stamp}, is too great for a token`,
    'no',
  );
}
