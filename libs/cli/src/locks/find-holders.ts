import { LockTypeMismatchError, UnsupportedByBackendError, type Backend, type ClaimView } from 'bedrock-lock';
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
 * @throws BackendUnavailableError
 */
export async function findHolders(backend: Backend, resource: string): Promise<readonly HoldersOfKind[]> {
  const found: HoldersOfKind[] = [];
  // Elsewhere one look sees all kinds; a second one could see the next holder beside the first.
  for (const shape of backend.name === 'redis' ? SHAPES : [MUTEX]) {
    if (shape === MUTEX && found.length > 0) continue;
    const holders = await inspect(backend, resource, shape);
    if (holders.length > 0) found.push({ shape, holders });
  }
  return found;
}

async function inspect(backend: Backend, resource: string, shape: Shape): Promise<readonly ClaimView[]> {
  try {
    return await backend.leases.inspect(resource, shape);
  } catch (error) {
    // The name has a lock of another kind, or the backend has none of this kind.
    if (error instanceof LockTypeMismatchError || error instanceof UnsupportedByBackendError) return [];
    throw error;
  }
}
