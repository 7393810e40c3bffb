import { checkFields, checkWhole } from '../../../core/checks.js';
import type { LockError } from '../../../core/errors.js';
import type { RedisCalls } from '../connection/redis-calls.js';
import { resultDiscarded } from '../connection/failures.js';
import { encodeAscii } from './resp-encoding.js';

// Captured when the module loads, so that fake timers installed later cannot hold back an answer.
const enqueueMicrotask = queueMicrotask;

/** How many replicas must have a grant before it counts. */
export interface ReplicaAckOptions {
  readonly count: number;
  /**
   * Longest wait for them, in whole ms, up to a third of `operationTimeoutMs`. @default a tenth of
   * it
   */
  readonly timeoutMs?: number;
}

export type ReplicaAckSettings = Required<ReplicaAckOptions>;

/** Why grants do not count; undefined when they do. */
export type AckFailure = LockError | undefined;

const FIELDS: ReadonlySet<string> = new Set<keyof ReplicaAckOptions>(['count', 'timeoutMs']);
const MAX_REPLICAS = 100;

/** @throws InvalidOptionError naming the field */
export function resolveReplicaAcks(
  options: ReplicaAckOptions | undefined,
  operationTimeoutMs: number,
): ReplicaAckSettings | undefined {
  if (options === undefined) return undefined;
  checkFields('replicaAcks', options, FIELDS);
  const { count, timeoutMs = Math.ceil(operationTimeoutMs / 10) } = options;
  // A claim may wait for the WAIT before it and for its own, and needs time for its round trips.
  const longest = Math.floor(operationTimeoutMs / 3);
  return Object.freeze({
    count: checkWhole('replicaAcks.count', count, 1, MAX_REPLICAS),
    timeoutMs: checkWhole('replicaAcks.timeoutMs', timeoutMs, 1, longest),
  });
}

/**
 * Asks the server by WAIT whether its replicas have all writes of this connection. Meanwhile the
 * server reads nothing else from the connection. So at most one WAIT is in flight, and the next one
 * serves all callers that came since.
 */
export class ReplicaAcks {
  readonly #request: string;
  #waiting: ((failure: AckFailure) => void)[] = [];
  #isWaitSent = false;

  constructor(
    private readonly calls: RedisCalls,
    private readonly settings: ReplicaAckSettings,
  ) {
    this.#request = `*3\r\n${encodeAscii('wait')}${encodeAscii(settings.count)}${encodeAscii(settings.timeoutMs)}`;
  }

  /**
   * Covers all requests that are sent until the next microtask. OncePerTurn does not fit: its turn
   * is longer, and every grant waits for this answer.
   */
  whenAcknowledged(): Promise<AckFailure> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (this.#isWaitSent) return;
      this.#isWaitSent = true;
      enqueueMicrotask(() => this.#send());
    });
  }

  #send(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    const settleAll = (failure: AckFailure): void => {
      for (const resolve of waiting) resolve(failure);
      if (this.#waiting.length > 0) this.#send();
      else this.#isWaitSent = false;
    };
    this.calls.run('wait', this.#request, {
      replied: (acks) => settleAll(this.#failureOf(acks)),
      failed: (error) => settleAll(resultDiscarded(`its replicas did not confirm: ${error.message}`, error)),
    });
  }

  #failureOf(acks: unknown): AckFailure {
    const { count, timeoutMs } = this.settings;
    if (typeof acks === 'number' && acks >= count) return undefined;
    return resultDiscarded(`${String(acks)} of ${count} replicas had the grant within ${timeoutMs} ms`);
  }
}
