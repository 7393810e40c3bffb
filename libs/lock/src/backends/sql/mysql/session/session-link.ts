import { atMost, type Clock } from '../../../../core/clock.js';
import type { SqlResult } from '../../connection/link.js';
import { noAnswer, notExecuted, toBackendError } from '../connection/failures.js';
import type { MysqlLink } from '../connection/link.js';
import type { MysqlLinkFactory } from '../connection/mysql-link-factory.js';

export interface MysqlSessionLinkDeps {
  readonly links: MysqlLinkFactory;
  readonly clock: Clock;
  readonly operationTimeoutMs: number;
  /** A session with locks that says nothing is given up after so long, in ms: by then all their leases have ended. */
  readonly maxSilenceMs: number;
  readonly hasLocks: () => boolean;
  readonly onEnd: () => void;
}

/**
 * One session at a time: its locks end with it. PostgreSQL has its own session: there a late answer
 * ends it. Here a late answer counts, statements do not wait for each other, and only a long
 * silence ends a session that has locks.
 */
export class MysqlSessionLink {
  #opening: Promise<MysqlLink> | undefined;
  #link: MysqlLink | undefined;
  #commands = 0;
  #unanswered = 0;
  /** Since when answers are missing, local ms. */
  #silentSince = 0;
  #isClosed = false;

  readonly #deps: MysqlSessionLinkDeps;

  constructor(deps: MysqlSessionLinkDeps) {
    this.#deps = deps;
  }

  get commands(): number {
    return this.#commands + (this.#link?.commands ?? 0);
  }

  /** Statements are in flight: they are executed before any that follows. */
  get isBusy(): boolean {
    return this.#unanswered > 0;
  }

  /**
   * Asks on the session. `act` is given every answer, before the answer to anything that was asked
   * later; `isLate` says that the caller has had an error instead.
   * @throws BackendUnavailableError
   */
  async query<T>(
    text: string,
    values: readonly string[],
    onAnswer: (answer: SqlResult, isLate: boolean) => T,
  ): Promise<T> {
    const { clock, operationTimeoutMs } = this.#deps;
    const deadline = clock.now() + operationTimeoutMs;
    const link = this.#link ?? (await this.#open(operationTimeoutMs));
    let isLate = false;
    const handled = this.#send(link, text, values).then(
      (answer) => ({ outcome: onAnswer(answer, isLate) }),
      (error: unknown) => {
        throw toBackendError(error);
      },
    );
    const inTime = (await atMost(clock, deadline - clock.now(), handled)) ?? (await this.#afterPoll(handled));
    if (inTime !== undefined) return inTime.outcome;
    isLate = true;
    this.#onTimeout(link);
    throw noAnswer('no answer in time');
  }

  close(): void {
    this.#isClosed = true;
    const link = this.#link;
    link?.destroy();
    if (link !== undefined) this.#ended(link);
  }

  #open(timeoutMs: number): Promise<MysqlLink> {
    if (this.#isClosed) return Promise.reject(notExecuted('it is closed'));
    this.#opening ??= this.#deps.links
      .open(timeoutMs)
      .then(
        (link) => this.#opened(link),
        (error: unknown) => {
          throw notExecuted(toBackendError(error).detail, error);
        },
      )
      .finally(() => (this.#opening = undefined));
    return this.#opening;
  }

  #opened(link: MysqlLink): MysqlLink {
    if (this.#isClosed) {
      link.destroy();
      throw notExecuted('it is closed');
    }
    this.#link = link;
    this.#unanswered = 0;
    link.onEnd(() => this.#ended(link));
    return link;
  }

  async #send(link: MysqlLink, text: string, values: readonly string[]): Promise<SqlResult> {
    const { clock } = this.#deps;
    if (this.#unanswered === 0) this.#silentSince = clock.now();
    this.#unanswered += 1;
    try {
      return await link.query({ name: '', text, values });
    } finally {
      this.#unanswered -= 1;
      this.#silentSince = clock.now();
    }
  }

  /** Timers run before sockets are read: an answer that has arrived meanwhile counts. */
  #afterPoll<T>(handled: Promise<T>): Promise<T | undefined> {
    handled.catch(() => undefined);
    const polled = new Promise<undefined>((resolve) => this.#deps.clock.afterPoll(() => resolve(undefined)));
    return Promise.race([handled, polled]);
  }

  /** A slow server keeps the locks that it has: only a session without any, or a hopeless one, is replaced. */
  #onTimeout(link: MysqlLink): void {
    const { clock, maxSilenceMs, hasLocks } = this.#deps;
    if (hasLocks() && clock.now() - this.#silentSince < maxSilenceMs) return;
    link.destroy();
    this.#ended(link);
  }

  #ended(link: MysqlLink): void {
    if (this.#link !== link) return;
    this.#commands += link.commands;
    this.#link = undefined;
    this.#deps.onEnd();
  }
}
