/** Code of a system error (`ECONNREFUSED`) or of a server's reply (`OOM command not allowed …`). */
const SYSTEM_CODE = /^[A-Z][A-Z0-9_]{2,}$/;
const REPLY_CODE = /^-?([A-Z]{3,})(?= |$)/;
/** Words and times: excludes the digits, dots, slashes, quotes and @ of addresses and passwords. */
const PLAIN = /^(?:[a-z ,:'-]|\d+ ms\b){1,200}$/i;
const MAX_CAUSES = 8;
/** The library's own error code, which adds no information. */
const OWN_CODE = 'BACKEND_UNAVAILABLE';

interface ErrorLike {
  readonly code?: unknown;
  readonly message?: unknown;
  readonly cause?: unknown;
}

/** Why a backend is unavailable, in words safe for any client of a health endpoint. */
export function unavailableReason(backend: string, error: unknown): string {
  const reason = shownReason(error);
  return reason === undefined ? `${backend} is unavailable` : `${backend} is unavailable: ${reason}`;
}

/**
 * The code of the client's error, or the backend's plain words; undefined if there is neither. A client's message is
 * never repeated: it names hosts and users.
 */
export function shownReason(error: unknown): string | undefined {
  return codeIn(error) ?? plainDetail(error);
}

function codeIn(error: unknown): string | undefined {
  let cause = (error as ErrorLike | undefined)?.cause;
  for (let depth = 0; depth < MAX_CAUSES && cause !== undefined && cause !== null; depth += 1) {
    // A server may refuse one item of a call with a text alone.
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
