import { atMost, type Clock } from '../../core/clock.js';
import type { OperationId } from '../../core/ports/counting.js';
import { BackendUnavailableError, LockClosedError } from '../../core/errors.js';
import type { Backend } from '../../core/ports/ports.js';
import type { WaitSettings } from '../../core/options/wait-options.js';
import { WakeableSleep } from '../../runtime/wakeable-sleep.js';
import { Backoff } from '../../runtime/backoff.js';
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
export class Operations {
  #begun = 0;
  #isStopped = false;
  /** One for each change without an answer; it is woken when nothing may be repeated any more. */
  readonly #pauses = new Set<WakeableSleep>();
  #onDrained: (() => void) | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly backend: Backend,
  ) {}

  /** Changes that are not answered yet. */
  get pending(): number {
    return this.#pauses.size;
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
    const mayRepeat = (pauseMs: number): boolean =>
      !settings.failFast && this.clock.now() + pauseMs <= lastSend;
    return this.#repeat(resource, this.begin(), act, mayRepeat);
  }

  /**
   * Repeats a change until it is answered. Once `operationTimeoutMs` is over, it answers undefined
   * and goes on in the background.
   * @throws errors that no repetition could fix
   */
  repeatUntilTimeout<R>(resource: string, act: SendOperation<R>): Promise<R | undefined> {
    const answer = this.#repeat(resource, this.begin(), act, always).catch((error: unknown) => {
      if (isUnavailable(error)) return undefined;
      throw error;
    });
    return atMost(this.clock, this.backend.operationTimeoutMs, answer);
  }

  /** Repeats a change in the background until it is answered. Its errors are dropped. */
  repeatInBackground(resource: string, pending: PendingOperation, act: SendOperation<unknown>): void {
    this.#repeat(resource, pending, act, always).catch(() => undefined);
  }

  /** Waits until everything is answered, at most `ms`; then nothing more is sent. */
  async drain(ms: number): Promise<void> {
    if (this.pending > 0)
      await atMost(this.clock, ms, new Promise<void>((resolve) => (this.#onDrained = resolve)));
    this.#isStopped = true;
    for (const pause of this.#pauses) pause.wake();
  }

  async #repeat<R>(
    resource: string,
    pending: PendingOperation,
    act: SendOperation<R>,
    mayRepeat: (pauseMs: number) => boolean,
  ): Promise<R> {
    if (this.#isStopped) throw new LockClosedError(resource);
    const pause = new WakeableSleep(this.clock);
    const backoff = new Backoff(RETRY_MS.first, RETRY_MS.longest);
    let mayHaveActed = false;
    this.#pauses.add(pause);
    try {
      for (;;) {
        let failure: BackendUnavailableError;
        try {
          return await act(pending.send());
        } catch (error) {
          failure = this.#unavailable(error, resource);
        }
        mayHaveActed ||= failure.executed === 'unknown';
        const pauseMs = backoff.take();
        const isWorthIt = !this.#isStopped && !pending.isExpired && mayRepeat(pauseMs);
        if (isWorthIt) await pause.sleep(pauseMs);
        if (!isWorthIt || this.#isStopped) throw mayHaveActed ? asUnknown(failure) : failure;
      }
    } finally {
      this.#pauses.delete(pause);
      if (this.pending === 0) this.#onDrained?.();
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
