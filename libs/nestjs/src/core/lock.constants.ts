import { checkName } from 'bedrock-lock';

/** The backend of a lock that names none. */
export const DEFAULT_BACKEND = 'default';

/** The logger's context of everything in this package. */
export const LOG_CONTEXT = 'BedrockLockModule';

/** Token of the registry that decorated methods ask for. A name, so that a second copy of this package finds it too. */
export const LOCK_REGISTRY = 'the locks of BedrockLockModule';

/** Token of what a test does with the methods; nothing provides it outside of tests. */
export const TEST_MODE = 'the test mode of BedrockTestingModule';

/** Token of the checked options of the interceptor. */
export const LOCK_INTERCEPTOR_SETTINGS = 'the interceptor options of BedrockLockModule';

/**
 * The property through which a decorated object gets the registry. Nest prints the property key when it cannot resolve
 * one, so the key tells what to do.
 */
export const LOCKS: unique symbol = Symbol.for('BedrockLockModule.forRoot() is not imported');

/**
 * Injection token of a registered lock, for `useFactory` providers. A test that overrides it replaces what is injected; decorated
 * methods keep the registered lock, and need an override of the backend.
 * @throws InvalidOptionError for a bad name
 */
export function getLockToken(name: string, backend?: string): string {
  return tokenOf('lock', 'locks', name, backend);
}

/** As `getLockToken()`, of registered idempotency. @throws InvalidOptionError for a bad name */
export function getIdempotencyToken(name: string, backend?: string): string {
  return tokenOf('idempotency', 'idempotency', name, backend);
}

function tokenOf(what: string, list: string, name: string, backend: string | undefined): string {
  checkName('name', name);
  // Nest prints a token that it does not know, so the token names the place where it belongs.
  const place = `BedrockLockModule.forRoot({ ${list} })`;
  if (backend === undefined) return `${what} ${JSON.stringify(name)} of ${place}`;
  return `${what} ${JSON.stringify(name)} on ${JSON.stringify(checkName('backend', backend))} of ${place}`;
}
