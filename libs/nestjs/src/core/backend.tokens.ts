import { checkName, InvalidOptionError } from 'bedrock-lock';
import { DEFAULT_BACKEND } from './lock.constants.js';

/** The backends that the modules of this process list. */
const listed = new Set<string>();
/** Names that a test asked for, which no module had listed by then. */
const requested = new Set<string>();

/**
 * Injection token of a backend: `overrideProvider(getBackendToken()).useValue(memory())` puts an application on another one, and
 * its own is never made. Nest ignores an override of what nothing provides, so a name that no module of the process lists
 * stops the next application that starts. @throws InvalidOptionError for a bad name
 */
export function getBackendToken(name = DEFAULT_BACKEND): string {
  const token = backendToken(name);
  if (!listed.has(name)) requested.add(name);
  return token;
}

/** The token of a backend that a module lists. */
export function listBackend(name: string): string {
  listed.add(name);
  return backendToken(name);
}

/** Judges each name once: an application after that may start. @throws InvalidOptionError for a name that no module lists */
export function refuseUnlistedOverrides(known: readonly string[]): void {
  const unlisted = [...requested].find((name) => !listed.has(name));
  requested.clear();
  if (unlisted !== undefined) throw unknownOverride(unlisted, known);
}

/** For an override of a backend that the application does not have. */
export function unknownOverride(name: string, known: readonly string[]): InvalidOptionError {
  return new InvalidOptionError('overridden backend', `one of ${known.join(', ')}`, name);
}

function backendToken(name: string): string {
  return `backend ${JSON.stringify(checkName('name', name))} of BedrockLockModule.forRoot({ backends })`;
}
