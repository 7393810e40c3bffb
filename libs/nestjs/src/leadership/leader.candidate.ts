import { Logger } from '@nestjs/common';
import {
  LeadershipResignedError,
  LockClosedError,
  type Bedrock,
  type Clock,
  type LeaderElection,
  type LeaderTerm,
} from 'bedrock-lock';
import { LOG_CONTEXT } from '../core/lock.constants.js';

/** A method that stands for election, with its settings. */
export interface LeaderCandidateOptions {
  /** The method, as `Ledger.lead()`, for messages. */
  readonly label: string;
  readonly election: LeaderElection;
  /** Hosts the election. */
  readonly bedrock: Bedrock;
  readonly body: (term: LeaderTerm) => unknown;
  /** First pause after a failure, in ms. */
  readonly backOffMs: number;
  readonly clock: Clock;
  /** How long the body may take to end when the application closes, in ms. */
  readonly graceMs: number;
}

const MAX_BACK_OFF_MS = 60_000;

/** A method that stands for election from the start of the application to its end. */
export class LeaderCandidate {
  readonly #logger = new Logger(LOG_CONTEXT);
  readonly #options: LeaderCandidateOptions;
  readonly #stopping = new AbortController();
  #loop: Promise<void> | undefined;
  /** Consecutive terms that the body ended with an error. */
  #failures = 0;

  constructor(options: LeaderCandidateOptions) {
    this.#options = options;
  }

  /** One log line: `Ledger.lead() leads ledger`. */
  describe(): string {
    return `${this.#options.label} leads ${this.#options.election.name}`;
  }

  start(): void {
    this.#loop = this.#runUntilStopped();
  }

  /** Resigns, and waits for the body to end within the grace period. Never rejects. */
  async stop(): Promise<void> {
    const { label, election, clock, graceMs } = this.#options;
    this.#stopping.abort(new LeadershipResignedError(election.resource));
    if (this.#loop === undefined || graceMs === 0) return;
    const over = new AbortController();
    void this.#loop.then(() => over.abort());
    await pause(clock, graceMs, over.signal);
    if (over.signal.aborted) return;
    this.#logger.warn(
      `${label} still runs ${graceMs} ms after its signal aborted; it leads until the locks close`,
    );
  }

  async #runUntilStopped(): Promise<void> {
    const { election, bedrock, clock, backOffMs } = this.#options;
    while (!this.#stopping.signal.aborted && !bedrock.isClosed) {
      try {
        await election.run((term) => this.#lead(term), { signal: this.#stopping.signal });
      } catch (error) {
        if (error instanceof LockClosedError) break;
        const pauseMs = Math.min(backOffMs * 2 ** this.#failures, Math.max(backOffMs, MAX_BACK_OFF_MS));
        this.#failures += 1;
        this.#logError('failed; it stands again after a pause', error);
        await pause(clock, pauseMs, this.#stopping.signal);
      }
    }
  }

  async #lead(term: LeaderTerm): Promise<void> {
    await this.#options.body(term);
    this.#failures = 0;
  }

  #logError(what: string, error: unknown): void {
    this.#logger.error(
      `${this.#options.label} ${what}`,
      error instanceof Error ? error.stack : String(error),
    );
  }
}

/** Resolves after the given time in ms, or when the signal aborts. */
function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clock.clearTimer(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = clock.setTimer(end, ms);
    if (signal.aborted) end();
    else signal.addEventListener('abort', end);
  });
}
