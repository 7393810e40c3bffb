import { createHash } from 'node:crypto';

/** Of a name of MySQL's, in characters. */
const MAX_NAME_LENGTH = 64;
/** MySQL takes upper and lower case for the same. */
const VERBATIM = /^[a-z0-9_.:/-]{1,64}$/;
const DIGEST = 'bedrock_';

/**
 * The server's name for the lock of a resource: its own, where it is short and in lower case, so that other clients and
 * people can use it; else a digest of it, behind a prefix that no resource has.
 */
export function lockNameOf(resource: string): string {
  if (VERBATIM.test(resource)) return resource;
  return (
    DIGEST +
    createHash('sha256')
      .update(resource)
      .digest('hex')
      .slice(0, MAX_NAME_LENGTH - DIGEST.length)
  );
}
