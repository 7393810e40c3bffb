import { sleep, type Clock } from '../../core/clock.js';
import { isLockError } from '../../core/errors.js';
import { Failures, textOf } from './failures.js';
import type { Answer, SqlLink, SqlLinks, Statement } from './link.js';

/** Pauses before what lost against others is tried again, in ms: at least, and so much more by chance. */
const AGAIN_MS = { least: 1, more: 9 };

interface Borrower {
  readonly resolve: (link: SqlLink) => void;
  readonly reject: (error: Error) => void;
}

/** What has to be known about connections. */
export interface PoolTerms {
  readonly clock: Clock;
  /** Most connections at a time. */
  readonly size: number;
  readonly operationTimeoutMs: number;
  /** A connection was lost: the next one may lead to another server. */
  onLost?(): void;
}

/**
 * A few connections of the backend's own, opened when they are needed. Every statement settles by its time; a connection whose
 * statement did not is destroyed, since its answer could still come.
 */
export class LinkPool {
  /** Statements that were sent. */
  commands = 0;
  readonly #failures: Failures;
  readonly #links = new Set<SqlLink>();
  readonly #idle: SqlLink[] = [];
  readonly #borrowers = new Set<Borrower>();
  #opening = 0;
  #isClosed = false;

  constructor(
    private readonly factory: SqlLinks,
    backend: string,
    private readonly terms: PoolTerms,
  ) {
    this.#failures = new Failures(backend);
  }

  /**
   * Runs a statement, again after a dead-lock or a serialization failure.
   * @param by local monotonic ms
   * @throws BackendUnavailableError
   */
  async run(statement: Statement, by: number): Promise<Answer> {
    for (;;) {
      const answer = await this.#runOnce(statement, by);
      if (answer !== undefined) return answer;
      const { clock } = this.terms;
      await sleep(clock, AGAIN_MS.least + clock.random() * AGAIN_MS.more);
      if (clock.now() >= by) throw this.#failures.notDone('it lost against others again and again');
    }
  }

  /** Ends all connections at once. */
  close(): void {
    this.#isClosed = true;
    this.#refuseAll(this.#failures.notDone('it is closed'));
    for (const link of this.#links) link.destroy();
    this.#links.clear();
    this.#idle.length = 0;
  }

  /** Undefined where it is worth trying again. */
  async #runOnce(statement: Statement, by: number): Promise<Answer | undefined> {
    const link = await this.#borrow(by);
    this.commands += 1;
    try {
      const answer = await this.#before(by, link.query(statement));
      this.#giveBack(link);
      return answer;
    } catch (error) {
      if (!isLockError(error) && this.factory.isAnswer(error)) this.#giveBack(link);
      else this.#drop(link);
      return this.#failed(error);
    }
  }

  #failed(error: unknown): undefined {
    if (isLockError(error)) throw error;
    const verdict = this.factory.judge(error);
    if (verdict === 'again') return undefined;
    const advice = this.factory.adviceOn?.(error);
    if (verdict === 'no')
      throw this.#failures.notDone(
        advice === undefined ? textOf(error) : `${textOf(error)}; ${advice}`,
        error,
      );
    throw this.#failures.noAnswer(textOf(error), error);
  }

  #borrow(by: number): Promise<SqlLink> {
    if (this.#isClosed) return Promise.reject(this.#failures.notDone('it is closed'));
    const idle = this.#idle.pop();
    if (idle !== undefined) return Promise.resolve(idle);
    return new Promise((resolve, reject) => {
      const { clock } = this.terms;
      const timer = clock.setTimer(() => {
        borrower.reject(this.#failures.notDone('no connection was free in time'));
      }, by - clock.now());
      const settle = (): void => {
        this.#borrowers.delete(borrower);
        clock.clearTimer(timer);
      };
      const borrower: Borrower = {
        resolve: (link) => (settle(), resolve(link)),
        reject: (error) => (settle(), reject(error)),
      };
      this.#borrowers.add(borrower);
      this.#grow();
    });
  }

  /** One more connection, if somebody waits who will not get one that is being opened. */
  #grow(): void {
    const { size, operationTimeoutMs } = this.terms;
    if (this.#isClosed || this.#borrowers.size <= this.#opening) return;
    if (this.#links.size + this.#opening >= size) return;
    this.#opening += 1;
    this.factory.open(operationTimeoutMs).then(
      (link) => {
        this.#opening -= 1;
        this.#opened(link);
      },
      (error: unknown) => {
        this.#opening -= 1;
        // Those who wait for a connection that is in use may still get it.
        if (this.#links.size === 0) this.#refuseAll(this.#failures.notDone(textOf(error), error));
      },
    );
  }

  #opened(link: SqlLink): void {
    if (this.#isClosed) return link.destroy();
    this.#links.add(link);
    link.onEnd(() => this.#drop(link));
    this.#giveBack(link);
  }

  #giveBack(link: SqlLink): void {
    if (!this.#links.has(link)) return;
    const [next] = this.#borrowers;
    if (next === undefined) this.#idle.push(link);
    else next.resolve(link);
  }

  #drop(link: SqlLink): void {
    if (!this.#links.delete(link)) return;
    const at = this.#idle.indexOf(link);
    if (at >= 0) this.#idle.splice(at, 1);
    link.destroy();
    this.terms.onLost?.();
    this.#grow();
  }

  #refuseAll(error: Error): void {
    for (const borrower of [...this.#borrowers]) borrower.reject(error);
  }

  /** The answer, or a failure when it did not come in time. */
  #before(by: number, answer: Promise<Answer>): Promise<Answer> {
    const { clock, operationTimeoutMs } = this.terms;
    return new Promise((resolve, reject) => {
      const timer = clock.setTimer(() => {
        // Timers run before sockets are read: the answer may be there already.
        clock.afterPoll(() => reject(this.#failures.noAnswer(`no answer within ${operationTimeoutMs} ms`)));
      }, by - clock.now());
      const settled = (): void => clock.clearTimer(timer);
      answer.then(
        (value) => (settled(), resolve(value)),
        (error: Error) => (settled(), reject(error)),
      );
    });
  }
}
