import { UnsupportedByBackendError, type Backend } from 'bedrock-lock';
import type { AdminDriver } from 'bedrock-lock/backend';

/** @throws UnsupportedByBackendError */
export function adminOf({ admin, name }: Backend): AdminDriver {
  if (admin === undefined)
    throw new UnsupportedByBackendError(name, 'a list of locks', 'look for them on the server');
  return admin;
}
