import { LockTypeMismatchError, UnsupportedByBackendError, type Backend, type ClaimView } from 'bedrock-lock';
import { MUTEX, permits, READER, type Shape } from 'bedrock-lock/backend';

/** Holders of one kind of lock under a name. */
export interface HoldersOfKind {
  /** How the verbs of the backend name the kind. */
  readonly shape: Shape;
  readonly holders: readonly ClaimView[];
}

/**
 * The kinds that a backend may keep apart. A fair mutex is found as a mutex, and a read-write lock is no mutex where the
 * backend tells the two apart.
 */
const SHAPES: readonly Shape[] = [READER, MUTEX, permits(1, 1)];

/**
 * Everything that is held under a name, whatever its kind; on Redis a mutex and a semaphore may have the same name.
 * @throws BackendUnavailableError
 */
export async function findHolders(backend: Backend, resource: string): Promise<readonly HoldersOfKind[]> {
  const found: HoldersOfKind[] = [];
  const known = new Set<string>();
  for (const shape of SHAPES) {
    const views = await inspect(backend, resource, shape);
    const holders = views.filter(({ id }) => !known.has(id));
    for (const { id } of views) known.add(id);
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
