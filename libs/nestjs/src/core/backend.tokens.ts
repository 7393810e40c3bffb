import { InvalidOptionError } from 'bedrock-lock';
import { checkName } from 'bedrock-lock/integration';
import { DEFAULT_BACKEND } from './lock.constants.js';

/** Backends that a module of this process lists. */
const listed = new Set<string>();
/** Names that a test requested before any module listed them. */
const requested = new Set<string>();

/**
 * Injection token of a backend. `overrideProvider(getBackendToken()).useValue(memory())` puts an application on another
 * backend; its own is never created.
 * Nest ignores an override of a token that no module provides. So a name that no module of the process lists stops the
 * next application start.
 * @throws InvalidOptionError for a bad name
 */
export function getBackendToken(name = DEFAULT_BACKEND): string {
  const token = backendToken(name);
  if (!listed.has(name)) requested.add(name);
  return token;
}

/** Token of a backend that a module lists. */
export function listBackend(name: string): string {
  listed.add(name);
  return backendToken(name);
}

/**
 * Judges each name once, so a later application may start.
 * @throws InvalidOptionError for a name that no module lists
 */
export function refuseUnlistedOverrides(known: readonly string[]): void {
  const unlisted = [...requested].find((name) => !listed.has(name));
  requested.clear();
  if (unlisted !== undefined) throw unknownOverride(unlisted, known);
}

/** Error for an override of a backend that the application does not have. */
export function unknownOverride(name: string, known: readonly string[]): InvalidOptionError {
  return new InvalidOptionError('overridden backend', `one of ${known.join(', ')}`, name);
}

function backendToken(name: string): string {
  return `backend ${JSON.stringify(checkName('name', name))} of BedrockLockModule.forRoot({ backends })`;
}
