import { checkName } from 'bedrock-lock/integration';

/** The backend of a lock that names no backend. */
export const DEFAULT_BACKEND = 'default';

/** Logger context of this package. */
export const LOG_CONTEXT = 'BedrockLockModule';

/** Token of the registry that decorated methods use. A string, so that a second copy of this package finds it too. */
export const LOCK_REGISTRY = 'the locks of BedrockLockModule';

/** Token of the test mode; only tests provide it. */
export const TEST_MODE = 'the test mode of BedrockTestingModule';

/** Token of the checked interceptor options. */
export const LOCK_INTERCEPTOR_SETTINGS = 'the interceptor options of BedrockLockModule';

/**
 * Property through which a decorated object gets the registry. Nest prints the property key when it cannot resolve the
 * property, so the key says what to do.
 */
export const LOCKS: unique symbol = Symbol.for('BedrockLockModule.forRoot() is not imported');

/**
 * Injection token of a registered lock, for `useFactory` providers. An override replaces the injected lock only:
 * decorated methods keep the registered lock, and need an override of the backend.
 * @throws InvalidOptionError for a bad name
 */
export function getLockToken(name: string, backend?: string): string {
  return tokenOf('lock', 'locks', name, backend);
}

/** As `getLockToken()`, for registered idempotency. @throws InvalidOptionError for a bad name */
export function getIdempotencyToken(name: string, backend?: string): string {
  return tokenOf('idempotency', 'idempotency', name, backend);
}

function tokenOf(what: string, list: string, name: string, backend: string | undefined): string {
  checkName('name', name);
  // Nest prints a token that it cannot resolve, so the token names the place to register it.
  const place = `BedrockLockModule.forRoot({ ${list} })`;
  if (backend === undefined) return `${what} ${JSON.stringify(name)} of ${place}`;
  return `${what} ${JSON.stringify(name)} on ${JSON.stringify(checkName('backend', backend))} of ${place}`;
}
