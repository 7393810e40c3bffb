import { LockTypeMismatchError, type Backend, type ClaimView } from 'bedrock-lock';
import { MUTEX, permits, READER, type Shape } from 'bedrock-lock/backend';

/** Holders of one kind of lock under a name. */
export interface HoldersOfKind {
  /** How the verbs of the backend name the kind. */
  readonly shape: Shape;
  readonly holders: readonly ClaimView[];
}

/**
 * The kinds that Redis keeps apart. A fair mutex is found as a mutex. The hash of a read-write lock would show its writer as the
 * holder of a mutex too, so nothing is looked for there once it has been read.
 */
const SHAPES: readonly Shape[] = [READER, MUTEX, permits(1, 1)];

/**
 * Everything that is held under a name, whatever its kind; on Redis a mutex and a semaphore may have the same name.
 * @throws BackendUnavailableError; LockTypeMismatchError when the name holds no lock but something else
 */
export async function findHolders(backend: Backend, resource: string): Promise<readonly HoldersOfKind[]> {
  const found: HoldersOfKind[] = [];
  const mismatches = new Map<Shape, LockTypeMismatchError>();
  // Elsewhere one look sees all kinds; a second one could see the next holder beside the first.
  for (const shape of backend.name === 'redis' ? SHAPES : [MUTEX]) {
    if (shape === MUTEX && found.length > 0) continue;
    try {
      const holders = await backend.leases.inspect(resource, shape);
      if (holders.length > 0) found.push({ shape, holders });
    } catch (error) {
      if (!(error instanceof LockTypeMismatchError)) throw error;
      mismatches.set(shape, error);
    }
  }
  const mismatch = mismatches.get(MUTEX);
  // A mutex is no read-write lock; a name that is neither belongs to something else.
  if (mismatch !== undefined && mismatches.has(READER) && found.length === 0) throw mismatch;
  return found;
}
