import { BackendUnavailableError, LockTypeMismatchError, type LockError } from '../../../core/errors.js';

export const BACKEND = 'redis';

/** Error codes by which the server states that it did not execute the request. */
const REFUSALS: ReadonlySet<string> = new Set([
  'QUARANTINED', 'OOM', 'READONLY', 'LOADING', 'NOPERM', 'NOAUTH', 'WRONGPASS', 'MASTERDOWN', 'CLUSTERDOWN', 'NOREPLICAS',
  'MISCONF', 'BUSY', 'NOSCRIPT', 'MOVED', 'ASK', 'TRYAGAIN', 'CROSSSLOT',
]); // prettier-ignore

/**
 * Redis 6 prefixes the error of a script with its place: `@user_script:4: @user_script: 4:
 * -READONLY …`.
 */
const CODE = /^(?:ERR Error running script.*?: )?(?:@?user_script: ?\d+: )*-?([A-Z]{2,})\b/;
const NO_RIGHT_IN_SCRIPT = /^ERR The user executing the script can't/;

/**
 * The code at the start of a Redis error, such as `WRONGTYPE`; '' for an error of the connection.
 */
export function codeOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return NO_RIGHT_IN_SCRIPT.test(text) ? 'NOPERM' : (CODE.exec(text)?.[1] ?? '');
}

/** Converts an error reply, of a request or of one item, to the error that callers see. */
export function refusal(error: unknown, resource = ''): LockError {
  const code = codeOf(error);
  const text = error instanceof Error ? error.message : String(error);
  if (code === 'WRONGTYPE') {
    const detail = text.startsWith('WRONGTYPE a ') ? text.slice('WRONGTYPE '.length) : 'another type of key';
    return new LockTypeMismatchError(resource, detail);
  }
  const executed = REFUSALS.has(code) ? 'no' : 'unknown';
  if (code !== 'QUARANTINED') {
    return new BackendUnavailableError(BACKEND, text, executed, { cause: error, resource });
  }
  const retryInMs = Number(text.slice(text.indexOf(code) + code.length));
  const detail = quarantineText(retryInMs);
  return new BackendUnavailableError(BACKEND, detail, executed, { cause: error, resource, retryInMs });
}

/** The request was certainly not executed. */
export function notSent(detail: string, cause?: unknown): BackendUnavailableError {
  return new BackendUnavailableError(BACKEND, detail, 'no', { cause });
}

/** For a caller that waited in vain for a connection. @param why the last error, if there was one */
export function notServing(why: Error | undefined, waitedMs: number): BackendUnavailableError {
  const cause = why ?? new Error(`no connection within ${Math.round(waitedMs)} ms`);
  return notSent(cause instanceof BackendUnavailableError ? cause.detail : cause.message, cause);
}

/** The request was sent, but no answer arrived. */
export function noAnswer(detail: string, cause?: unknown): BackendUnavailableError {
  return new BackendUnavailableError(BACKEND, detail, 'unknown', { cause });
}

/** The request was executed, but its result does not count. */
export function resultDiscarded(detail: string, cause?: unknown): BackendUnavailableError {
  return new BackendUnavailableError(BACKEND, detail, 'yes', { cause });
}

function quarantineText(ms: number): string {
  return `quarantined for ${ms} ms more: its data may have been lost, so older grants may still be in use`;
}
