import { atMost, type Clock } from '../../core/clock.js';
import type { OperationId } from '../../core/ports/counting.js';
import { BackendUnavailableError, LockClosedError } from '../../core/errors.js';
import type { Backend } from '../../core/ports/ports.js';
import type { WaitSettings } from '../../core/options/wait-options.js';
import type { RequestObserver } from '../../core/ports/request-observer.js';
import { UntilConfirmed } from '../../runtime/until-confirmed.js';
import { asLockError, isUnavailable } from '../../core/unavailable.js';

/**
 * A change is repeated under its id for this long at most, in ms; an outage beyond it leaves in
 * doubt what it caught.
 */
const LIFE_MS = 300_000;
/** The server remembers an answer for longer than it may be asked for: its clock may run faster. */
const KEEP_SHARE = 1.1;
/** The pauses before an unanswered change is repeated, in ms. */
const RETRY_MS = { first: 20, longest: 1_000 };

type SendOperation<R> = (operation: OperationId) => Promise<R>;

/** One change, under an id of its own, and how often it was sent. */
export class PendingOperation {
  #attempts = 0;
  readonly #beganAt: number;

  constructor(
    private readonly clock: Clock,
    private readonly operationTimeoutMs: number,
    readonly id: string,
  ) {
    this.#beganAt = clock.now();
  }

  /** The server may have forgotten its answer: it must not be sent again. */
  get isExpired(): boolean {
    return this.clock.now() - this.#beganAt >= LIFE_MS;
  }

  /** How it is sent now. */
  send(): OperationId {
    const { id, operationTimeoutMs } = this;
    const keepMs = Math.ceil((LIFE_MS + operationTimeoutMs) * KEEP_SHARE);
    return { id, attempt: ++this.#attempts, notAfter: this.clock.now() + operationTimeoutMs, keepMs };
  }
}

/** Changes that must happen once, whatever the network does: repeated under one id until they are answered. */
export class Operations extends UntilConfirmed {
  #begun = 0;

  constructor(
    clock: Clock,
    private readonly backend: Backend,
    private readonly requests: RequestObserver,
  ) {
    super(clock, RETRY_MS);
  }

  begin(): PendingOperation {
    const { clock, backend } = this;
    return new PendingOperation(clock, backend.operationTimeoutMs, `${backend.processId}:${++this.#begun}`);
  }

  /**
   * Repeats a change until it is answered; settles within `waitMs`, or one `operationTimeoutMs` if that is longer.
   * @throws BackendUnavailableError; its `executed` is that of all attempts together
   */
  repeatUntilDeadline<R>(resource: string, settings: WaitSettings, act: SendOperation<R>): Promise<R> {
    const lastSend = this.clock.now() + settings.waitMs - this.backend.operationTimeoutMs;
    const isInTime = (pauseMs: number): boolean =>
      !settings.failFast && this.clock.now() + pauseMs <= lastSend;
    return this.#untilAnswered(resource, this.begin(), act, isInTime);
  }

  /**
   * Repeats a change until it is answered. Once `operationTimeoutMs` is over, it answers undefined
   * and goes on in the background.
   * @throws errors that no repetition could fix
   */
  repeatUntilTimeout<R>(resource: string, act: SendOperation<R>): Promise<R | undefined> {
    const answer = this.#untilAnswered(resource, this.begin(), act, always).catch((error: unknown) => {
      if (isUnavailable(error)) return undefined;
      throw error;
    });
    return atMost(this.clock, this.backend.operationTimeoutMs, answer);
  }

  /** Repeats a change in the background until it is answered. Its errors are dropped. */
  repeatInBackground(resource: string, pending: PendingOperation, act: SendOperation<unknown>): void {
    this.#untilAnswered(resource, pending, act, always).catch(() => undefined);
  }

  async #untilAnswered<R>(
    resource: string,
    pending: PendingOperation,
    act: SendOperation<R>,
    isInTime: (pauseMs: number) => boolean,
  ): Promise<R> {
    if (this.isStopped) throw new LockClosedError(resource);
    let failure: BackendUnavailableError | undefined;
    let mayHaveActed = false;
    this.inFlight.begin();
    try {
      const answer = await this.repeat({
        send: async () => ({
          value: await this.requests.observe('count', { resource }, act(pending.send())),
        }),
        mayRepeat: (error, pauseMs) => {
          failure = this.#unavailable(error, resource);
          mayHaveActed ||= failure.executed === 'unknown';
          return !pending.isExpired && isInTime(pauseMs);
        },
      });
      if (answer !== undefined) return answer.value;
      throw mayHaveActed ? asUnknown(failure!) : failure!;
    } finally {
      this.inFlight.end();
    }
  }

  /** @throws what no repetition can change */
  #unavailable(error: unknown, resource: string): BackendUnavailableError {
    const lockError = asLockError(error, this.backend.name, resource);
    if (!isUnavailable(lockError)) throw lockError;
    return lockError;
  }
}

const always = (): boolean => true;

function asUnknown({ backend, detail, resource, cause }: BackendUnavailableError): BackendUnavailableError {
  return new BackendUnavailableError(backend, detail, 'unknown', { cause, resource });
}
