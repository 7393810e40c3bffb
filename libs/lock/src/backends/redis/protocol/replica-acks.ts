import { checkFields, checkWhole } from '../../../core/checks.js';
import type { LockError } from '../../../core/errors.js';
import type { Connection } from '../connection/connection.js';
import { useless } from '../connection/failures.js';
import { word } from './wire.js';

// Taken when the module loads, so that fake timers installed later cannot hold back an answer.
const enqueueMicrotask = queueMicrotask;

/** How many replicas have to have a grant before it counts. */
export interface ReplicaAckOptions {
  readonly count: number;
  /** How long they have for it, in whole ms, up to a third of `operationTimeoutMs`. @default a tenth of it */
  readonly timeoutMs?: number;
}

export type ReplicaAckTerms = Required<ReplicaAckOptions>;

/** Why grants do not count; nothing when they do. */
export type Shortage = LockError | undefined;

const FIELDS: ReadonlySet<string> = new Set<keyof ReplicaAckOptions>(['count', 'timeoutMs']);
const MOST_REPLICAS = 100;

/** @throws InvalidOptionError naming the field */
export function resolveReplicaAcks(
  options: ReplicaAckOptions | undefined,
  operationTimeoutMs: number,
): ReplicaAckTerms | undefined {
  if (options === undefined) return undefined;
  checkFields('replicaAcks', options, FIELDS);
  const { count, timeoutMs = Math.ceil(operationTimeoutMs / 10) } = options;
  // A claim may have to wait for the one before it and for its own, and needs time for its trips.
  const longest = Math.floor(operationTimeoutMs / 3);
  return Object.freeze({
    count: checkWhole('replicaAcks.count', count, 1, MOST_REPLICAS),
    timeoutMs: checkWhole('replicaAcks.timeoutMs', timeoutMs, 1, longest),
  });
}

/**
 * Asks a server whether its replicas have what was written on this connection, by WAIT. The server reads nothing else from
 * the connection meanwhile, so there is never more than one question under way; the next one serves all who came since.
 */
export class ReplicaAcks {
  readonly #request: string;
  #askers: ((shortage: Shortage) => void)[] = [];
  #isAsking = false;

  constructor(
    private readonly connection: Connection,
    private readonly terms: ReplicaAckTerms,
  ) {
    this.#request = `*3\r\n${word('wait')}${word(terms.count)}${word(terms.timeoutMs)}`;
  }

  /** About all that is sent until the next microtask. */
  ask(): Promise<Shortage> {
    return new Promise((resolve) => {
      this.#askers.push(resolve);
      if (this.#isAsking) return;
      this.#isAsking = true;
      enqueueMicrotask(() => this.#send());
    });
  }

  #send(): void {
    const askers = this.#askers;
    this.#askers = [];
    const tell = (shortage: Shortage): void => {
      for (const resolve of askers) resolve(shortage);
      if (this.#askers.length > 0) this.#send();
      else this.#isAsking = false;
    };
    this.connection.run('wait', this.#request, {
      replied: (acks) => tell(this.#shortageOf(acks)),
      failed: (error) => tell(useless(`no word of its replicas: ${error.message}`, error)),
    });
  }

  #shortageOf(acks: unknown): Shortage {
    const { count, timeoutMs } = this.terms;
    if (typeof acks === 'number' && acks >= count) return undefined;
    return useless(`${String(acks)} of ${count} replicas had the grant within ${timeoutMs} ms`);
  }
}
