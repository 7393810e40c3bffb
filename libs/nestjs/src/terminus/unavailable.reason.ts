/** What a system error (`ECONNREFUSED`) and a reply of a server (`OOM command not allowed …`) are known by. */
const SYSTEM_CODE = /^[A-Z][A-Z0-9_]{2,}$/;
const REPLY_CODE = /^-?([A-Z]{3,})(?= |$)/;
/** Words and times: no digit, dot, slash, quote or @ that an address or a password could be made of. */
const PLAIN = /^(?:[a-z ,:'-]|\d+ ms\b){1,200}$/i;
const MAX_CAUSES = 8;
/** Of the library's own error, which says no more than that. */
const OWN_CODE = 'BACKEND_UNAVAILABLE';

interface ErrorLike {
  readonly code?: unknown;
  readonly message?: unknown;
  readonly cause?: unknown;
}

/** Why a backend is unavailable, in words that anybody may read who can reach a health endpoint. */
export function unavailableReason(backend: string, error: unknown): string {
  const reason = shownReason(error);
  return reason === undefined ? `${backend} is unavailable` : `${backend} is unavailable: ${reason}`;
}

/**
 * The code of the client's error, or the plain words of the backend; undefined where there is neither. What a client writes
 * is never repeated: it names hosts and users.
 */
export function shownReason(error: unknown): string | undefined {
  return codeIn(error) ?? plainDetail(error);
}

function codeIn(error: unknown): string | undefined {
  let cause = (error as ErrorLike | undefined)?.cause;
  for (let depth = 0; depth < MAX_CAUSES && cause !== undefined && cause !== null; depth += 1) {
    // A server may refuse one item of a call, by text alone.
    const { code, message, cause: next }: ErrorLike = typeof cause === 'string' ? { message: cause } : cause;
    if (typeof code === 'string' && code !== OWN_CODE && SYSTEM_CODE.test(code)) return code;
    const reply = typeof message === 'string' ? REPLY_CODE.exec(message)?.[1] : undefined;
    if (reply !== undefined) return reply;
    cause = next;
  }
  return undefined;
}

function plainDetail(error: unknown): string | undefined {
  const { detail } = (error ?? {}) as { readonly detail?: unknown };
  return typeof detail === 'string' && PLAIN.test(detail) ? detail : undefined;
}
