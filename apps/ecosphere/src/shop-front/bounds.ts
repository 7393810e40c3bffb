/**
 * The lock of the counter. The defaults suit few callers and work of seconds; here 3,000 buyers wait at once, each for
 * a turn of about a millisecond.
 */
export const COUNTER_LOCK = {
  name: 'flash-sale',
  /** How long a killed process delays the others. The default, 30 s, is too long for this demo. */
  leaseMs: 2_000,
  /**
   * 3,000 turns of 3 ms on a busy machine, a lease of a killed process, and a reserve; below the 30 s after which a
   * proxy gives up. With the default, 5 s, the last buyers would time out.
   */
  waitMs: 20_000,
  /** All 3,000 buyers fit in one process. Of the default, 10,000, the last would wait in vain. */
  maxWaiters: 4_000,
} as const;

/** Time limit of each command of a purchase, in ms. A turn has two, so it ends whatever Redis does. */
export const COMMAND_MS = 1_000;

/** How long a buyer at the counter may continue when the shop closes, in ms: two commands, and a reserve. */
export const CLOSING_MS = 3_000;

/** The HTTP server. */
export const HTTP = {
  /** Connections not yet accepted. With Node's default, 511, most of 3,000 concurrent ones would need a TCP retry. */
  backlog: 4_096,
  /**
   * An idle connection stays open longer than those of usual proxies (60 s), so it never closes under a request.
   * Node's: 5 s.
   */
  keepAliveTimeoutMs: 65_000,
  /** For sending an order of some hundred bytes, not for waiting, which `waitMs` bounds. Node's: 300 s. */
  requestTimeoutMs: 15_000,
  /** With the default, 100 kB, thousands of waiting orders could hold hundreds of megabytes. */
  bodyLimit: '4kb',
} as const;

/** When a retry is worthwhile after Redis did not answer, in seconds. */
export const RETRY_AFTER_S = 1;
