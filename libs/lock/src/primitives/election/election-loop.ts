import type { Clock, Timer } from '../../core/clock.js';
import type { ElectionSettings } from '../../core/options/election-options.js';
import { LeadershipResignedError, QueueFullError } from '../../core/errors.js';
import type { EventHub } from '../../core/events.js';
import { onAbort } from '../../runtime/abort-listeners.js';
import { sleepUnlessAborted } from '../../runtime/wakeable-sleep.js';
import type { Lease } from '../../engine/holding/lease.js';
import type { LockEngine } from '../../engine/locking/lock-engine.js';
import { LeaderTerm } from './leader-term.js';

/** What a leader does; the term ends with it. */
export type TermBody = (term: LeaderTerm) => unknown;

/** Stands for election again and again, one term after the other, until it is stopped. */
export class ElectionLoop {
  /** The present one, until its body has ended. */
  term: LeaderTerm | undefined;
  readonly #clock: Clock;
  readonly #events: EventHub;

  constructor(
    private readonly engine: LockEngine,
    private readonly resource: string,
    private readonly settings: ElectionSettings,
    private readonly body: TermBody,
    private readonly stop: AbortSignal,
  ) {
    this.#clock = engine.clock;
    this.#events = engine.events;
  }

  /** Resolves when it was stopped and nothing is held any more. @throws what a body throws during its term */
  async run(): Promise<void> {
    while (!this.stop.aborted) {
      const lease = await this.#waitForElection();
      const wasGivenUp = lease === undefined || (await this.#lead(lease));
      if (wasGivenUp) await sleepUnlessAborted(this.#clock, this.settings.restMs, [this.stop]);
    }
  }

  /** False when this process does not lead, or its term is over already. */
  resign(): boolean {
    const { term } = this;
    if (term === undefined || term.signal.aborted) return false;
    term.end(new LeadershipResignedError(this.resource));
    return true;
  }

  /**
   * Waits to be elected, and retries an unavailable backend for as long as it takes. Undefined if
   * it was not elected.
   */
  async #waitForElection(): Promise<Lease | undefined> {
    try {
      return await this.engine.acquire(this.resource, this.settings.lock, this.stop);
    } catch (error) {
      // So many wait for other locks just now.
      if (this.stop.aborted || error instanceof QueueFullError) return undefined;
      throw error;
    }
  }

  /** One term, to the end of its body, whatever ends the leadership before. True when it was given up, and not lost. */
  async #lead(lease: Lease): Promise<boolean> {
    const term = new LeaderTerm(lease);
    const facts = { resource: this.resource, token: term.token };
    const tellLoss = (): void =>
      this.#events.emit('leader.lost', { ...facts, ledMs: lease.heldMs, reason: lease.lossReason! });
    const endings = [
      onAbort(this.stop, () => term.end(this.stop.reason as Error)),
      onAbort(lease.signal, tellLoss),
      this.#reportOverrun(term),
    ];
    if (this.stop.aborted) term.end(this.stop.reason as Error);
    this.term = term;
    this.#events.emit('leader.elected', facts);
    const failure = await this.#runBody(term);
    const wasOver = term.signal.aborted;
    // Locks that the body left behind are reported, too.
    term.end(new LeadershipResignedError(this.resource));
    this.term = undefined;
    for (const forget of endings) forget();
    const isKnownAsLost = lease.isLost;
    const outcome = await lease.release();
    if (outcome !== 'lost') this.#events.emit('leader.resigned', { ...facts, ledMs: lease.heldMs });
    else if (!isKnownAsLost) tellLoss();
    if (failure !== undefined && !wasOver) throw failure.error;
    if (failure !== undefined && !isAbort(failure.error, term.signal))
      this.#events.emit('leader.failed', { ...facts, error: failure.error });
    return outcome !== 'lost';
  }

  /** Lost, or stopped, before anything was done: the work must not begin. */
  async #runBody(term: LeaderTerm): Promise<{ readonly error: unknown } | undefined> {
    try {
      if (term.isLeading) await this.body(term);
      return undefined;
    } catch (error) {
      return { error };
    }
  }

  /** Tells of a body that goes on after its term, once per lease, until the result is called. */
  #reportOverrun(term: LeaderTerm): () => void {
    const { leaseMs } = this.settings.lock;
    let timer: Timer | undefined;
    const forget = onAbort(term.signal, () => {
      const overAt = this.#clock.now();
      const report = (): void => {
        const overdueMs = this.#clock.now() - overAt;
        this.#events.emit('leader.overrun', { resource: this.resource, token: term.token, overdueMs });
        timer = this.#clock.setTimer(report, leaseMs);
      };
      timer = this.#clock.setTimer(report, leaseMs);
    });
    return () => {
      forget();
      if (timer !== undefined) this.#clock.clearTimer(timer);
    };
  }
}

/** What a body throws because it was told to end. */
function isAbort(error: unknown, { reason }: AbortSignal): boolean {
  return error === reason || (error instanceof Error && error.name === 'AbortError');
}
