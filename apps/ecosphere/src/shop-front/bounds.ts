/**
 * The lock of the counter. The defaults are made for few callers and work of seconds; here 3,000 buyers wait at once, each
 * for a turn of about a millisecond.
 */
export const COUNTER_LOCK = {
  name: 'flash-sale',
  /** What a killed process costs the others; of the default, 30 s, nobody would see the end. */
  leaseMs: 2_000,
  /**
   * 3,000 turns of 3 ms on a busy machine, a lease of a killed process, and a reserve; less than the 30 s after which a
   * proxy gives up first. The default, 5 s, sends the last ones away.
   */
  waitMs: 20_000,
  /** Should all 3,000 come to one process, they fit. Of the default, 10,000, the last would wait for nothing. */
  maxWaiters: 4_000,
} as const;

/** Bound on each command of a purchase, in ms: two of them, and a turn ends whatever Redis does. */
export const COMMAND_MS = 1_000;

/** How long whoever is at the counter may go on when the shop closes, in ms: two commands, and a reserve. */
export const CLOSING_MS = 3_000;

/** The HTTP server. */
export const HTTP = {
  /** Connections not yet accepted. Of 3,000 that come at once, Node's default, 511, would send most into a retry of TCP. */
  backlog: 4_096,
  /** An idle connection outlives those of the usual proxies (60 s): so it is never closed under a request. Node's: 5 s. */
  keepAliveTimeoutMs: 65_000,
  /** For sending an order of some hundred bytes, not for waiting: that is `waitMs`. Node's: 300 s. */
  requestTimeoutMs: 15_000,
  /** Of the default, 100 kB, thousands of waiting orders could hold hundreds of megabytes. */
  bodyLimit: '4kb',
} as const;

/** After how many seconds it is worth asking again when Redis did not answer. */
export const RETRY_AFTER_S = 1;
