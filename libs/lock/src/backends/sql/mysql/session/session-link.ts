import { atMost, type Clock } from '../../../../core/clock.js';
import type { Answer } from '../../connection/link.js';
import { noAnswer, notSent, unavailable } from '../connection/failures.js';
import type { MysqlLink } from '../connection/link.js';
import type { MysqlLinks } from '../connection/mysql-links.js';

export interface SessionTerms {
  readonly links: MysqlLinks;
  readonly clock: Clock;
  readonly operationTimeoutMs: number;
  /** A session with locks that says nothing is given up after so long, in ms: by then all their leases have ended. */
  readonly patienceMs: number;
  readonly hasLocks: () => boolean;
  readonly onEnd: () => void;
}

/** One session at a time: what it has locked ends with it. */
export class SessionLink {
  #opening: Promise<MysqlLink> | undefined;
  #link: MysqlLink | undefined;
  #commands = 0;
  #unanswered = 0;
  /** Since when answers are missing, local ms. */
  #silentSince = 0;
  #isClosed = false;

  readonly #terms: SessionTerms;

  constructor(terms: SessionTerms) {
    this.#terms = terms;
  }

  get commands(): number {
    return this.#commands + (this.#link?.commands ?? 0);
  }

  /** Statements are in flight: they are executed before any that follows. */
  get isBusy(): boolean {
    return this.#unanswered > 0;
  }

  /**
   * Asks on the session. `act` is given every answer, before the answer to anything that was asked later; `isLate` says that
   * the caller has had an error instead.
   * @throws BackendUnavailableError
   */
  async ask<T>(
    text: string,
    values: readonly string[],
    act: (answer: Answer, isLate: boolean) => T,
  ): Promise<T> {
    const { clock, operationTimeoutMs } = this.#terms;
    const deadline = clock.now() + operationTimeoutMs;
    const link = this.#link ?? (await this.#open(operationTimeoutMs));
    let isLate = false;
    const acted = this.#send(link, text, values).then(
      (answer) => ({ outcome: act(answer, isLate) }),
      (error: unknown) => {
        throw unavailable(error);
      },
    );
    const inTime = (await atMost(clock, deadline - clock.now(), acted)) ?? (await this.#afterPoll(acted));
    if (inTime !== undefined) return inTime.outcome;
    isLate = true;
    this.#outOfTime(link);
    throw noAnswer('no answer in time');
  }

  close(): void {
    this.#isClosed = true;
    const link = this.#link;
    link?.destroy();
    if (link !== undefined) this.#ended(link);
  }

  #open(timeoutMs: number): Promise<MysqlLink> {
    if (this.#isClosed) return Promise.reject(notSent('it is closed'));
    this.#opening ??= this.#terms.links
      .open(timeoutMs)
      .then(
        (link) => this.#opened(link),
        (error: unknown) => {
          throw notSent(unavailable(error).detail, error);
        },
      )
      .finally(() => (this.#opening = undefined));
    return this.#opening;
  }

  #opened(link: MysqlLink): MysqlLink {
    if (this.#isClosed) {
      link.destroy();
      throw notSent('it is closed');
    }
    this.#link = link;
    this.#unanswered = 0;
    link.onEnd(() => this.#ended(link));
    return link;
  }

  async #send(link: MysqlLink, text: string, values: readonly string[]): Promise<Answer> {
    const { clock } = this.#terms;
    if (this.#unanswered === 0) this.#silentSince = clock.now();
    this.#unanswered += 1;
    try {
      return await link.query({ name: '', text, values });
    } finally {
      this.#unanswered -= 1;
      this.#silentSince = clock.now();
    }
  }

  /** Timers run before sockets are read: what has arrived meanwhile counts. */
  #afterPoll<T>(acted: Promise<T>): Promise<T | undefined> {
    acted.catch(() => undefined);
    const polled = new Promise<undefined>((resolve) => this.#terms.clock.afterPoll(() => resolve(undefined)));
    return Promise.race([acted, polled]);
  }

  /** A slow server keeps the locks that it has: only a session without any, or a hopeless one, is replaced. */
  #outOfTime(link: MysqlLink): void {
    const { clock, patienceMs, hasLocks } = this.#terms;
    if (hasLocks() && clock.now() - this.#silentSince < patienceMs) return;
    link.destroy();
    this.#ended(link);
  }

  #ended(link: MysqlLink): void {
    if (this.#link !== link) return;
    this.#commands += link.commands;
    this.#link = undefined;
    this.#terms.onEnd();
  }
}
