import type { LockError } from 'bedrock-lock';
import { systemClock } from 'bedrock-lock/integration';
import type { MappedLockCode } from '../options/lock-interceptor.options.js';
import type { LockInterceptorSettings } from '../options/lock-interceptor.settings.js';

/** What a client learns about a lock error. It names no resource, host or process. */
export interface LockErrorResponse {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  /** Suggested delay before a retry, in ms; undefined if a retry is pointless. */
  readonly retryAfterMs: number | undefined;
  /** True for a malfunction, which the log must report like any unexpected error. */
  readonly isFault: boolean;
}

type ResponseRule = Pick<LockErrorResponse, 'message' | 'isFault'> & { readonly mayRetry: boolean };

const IN_USE: ResponseRule = {
  message: 'The resource is in use; try again later',
  mayRetry: true,
  isFault: false,
};
const UNAVAILABLE = 'The service is not available at the moment; try again later';
const UNSAFE: ResponseRule = {
  message: 'The request was not completed safely; its effects are uncertain',
  mayRetry: false,
  isFault: true,
};
/** What a client learns about each code, and whether a retry can help. */
export const RESPONSE_RULES: Readonly<Record<MappedLockCode, ResponseRule>> = {
  LOCK_BUSY: IN_USE,
  LOCK_WAIT_TIMEOUT: IN_USE,
  QUEUE_FULL: { message: UNAVAILABLE, mayRetry: true, isFault: false },
  BACKEND_UNAVAILABLE: { message: UNAVAILABLE, mayRetry: true, isFault: true },
  LOCK_CLOSED: { message: UNAVAILABLE, mayRetry: true, isFault: false },
  LOCK_LOST: UNSAFE,
  LOCK_REVOKED: UNSAFE,
  IDEMPOTENCY_IN_FLIGHT: {
    message: 'The first request with this idempotency key is still in flight; try again later',
    mayRetry: true,
    isFault: false,
  },
  IDEMPOTENCY_MISMATCH: {
    message: 'The idempotency key was used for another request',
    mayRetry: false,
    isFault: false,
  },
  IDEMPOTENCY_RESULT: {
    message: 'The request was completed before; its response cannot be repeated',
    mayRetry: false,
    isFault: false,
  },
  IDEMPOTENCY_LOST: UNSAFE,
  INVALID_OPTION: {
    message: 'The request does not name the resource correctly',
    mayRetry: false,
    isFault: false,
  },
};

/**
 * Suggested delay before a retry, in ms. The range spreads the retries of clients that were refused together.
 * It is not the rest of a lease: a holder renews its lease while it works, and usually ends far sooner.
 */
const RETRY_AFTER_MS = { least: 1_000, most: 2_000 };

/** For the application's filters and logs: the client no longer reads a response. */
export const CLIENT_GONE: LockErrorResponse = {
  status: 499,
  code: 'LOCK_ABORTED',
  message: 'The client has disconnected',
  retryAfterMs: undefined,
  isFault: false,
};

/** The response to an error; undefined for an error that does not concern a client. */
export function responseTo(
  error: LockError,
  settings: LockInterceptorSettings,
): LockErrorResponse | undefined {
  const code = error.code as MappedLockCode;
  const status = settings.statuses.get(code);
  if (status === undefined) return undefined;
  const { message, mayRetry, isFault } = RESPONSE_RULES[code];
  return { status, code, message, retryAfterMs: mayRetry ? retryAfterMs() : undefined, isFault };
}

function retryAfterMs(): number {
  const { least, most } = RETRY_AFTER_MS;
  return least + Math.round(systemClock.random() * (most - least));
}
