import { BackendUnavailableError, LockTypeMismatchError, type LockError } from '../../../core/errors.js';

export const BACKEND = 'redis';

/** Replies by which the server says that it did not do what was asked. */
const REFUSALS: ReadonlySet<string> = new Set([
  'QUARANTINED', 'OOM', 'READONLY', 'LOADING', 'NOPERM', 'NOAUTH', 'WRONGPASS', 'MASTERDOWN', 'CLUSTERDOWN', 'NOREPLICAS',
  'MISCONF', 'BUSY', 'NOSCRIPT', 'MOVED', 'ASK', 'TRYAGAIN', 'CROSSSLOT',
]); // prettier-ignore

/** Redis 6 puts where it happened before an error of a script: `@user_script:4: @user_script: 4: -READONLY …`. */
const CODE = /^(?:ERR Error running script.*?: )?(?:@?user_script: ?\d+: )*-?([A-Z]{2,})\b/;
const NO_RIGHT_IN_SCRIPT = /^ERR The user executing the script can't/;

/** The code that a Redis error begins with, such as `WRONGTYPE`; '' for an error of the connection. */
export function codeOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return NO_RIGHT_IN_SCRIPT.test(text) ? 'NOPERM' : (CODE.exec(text)?.[1] ?? '');
}

/** An error reply of the server, whole or of one item, as callers see it. */
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

/** The request went out and nothing came back. */
export function noAnswer(detail: string, cause?: unknown): BackendUnavailableError {
  return new BackendUnavailableError(BACKEND, detail, 'unknown', { cause });
}

/** It was executed, and what it gave does not count. */
export function resultDiscarded(detail: string, cause?: unknown): BackendUnavailableError {
  return new BackendUnavailableError(BACKEND, detail, 'yes', { cause });
}

function quarantineText(ms: number): string {
  return `quarantined for ${ms} ms more: its data may have been lost, so older grants may still be in use`;
}
