import { sleep, type Clock, type Timer } from '../../../core/clock.js';
import { isLockError } from '../../../core/errors.js';
import { Failures, textOf } from './failures.js';
import type { Answer, SqlLink, SqlLinks, Statement } from './link.js';

/** Pauses before what lost against others is tried again, in ms: at least, and so much more by chance. */
const AGAIN_MS = { least: 1, more: 9 };

interface Borrower {
  readonly resolve: (line: Line) => void;
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

/** A connection, and the statement that is under way on it. */
class Line {
  /** Local monotonic ms at which the statement is settled at the latest; Infinity when there is none. */
  by = Infinity;
  /** Ends the statement without an answer. */
  fail: (error: Error) => void = nothing;

  constructor(readonly link: SqlLink) {}

  begin(by: number, fail: (error: Error) => void): void {
    this.by = by;
    this.fail = fail;
  }

  end(): void {
    this.by = Infinity;
    this.fail = nothing;
  }
}

const nothing = (): void => undefined;

/**
 * A few connections of the backend's own, opened when they are needed. Every statement settles by its time; a connection whose
 * statement did not is destroyed, since its answer could still come.
 */
export class LinkPool {
  /** Statements that were sent. */
  commands = 0;
  readonly #failures: Failures;
  readonly #lines = new Set<Line>();
  readonly #idle: Line[] = [];
  /** Connections that are gone, of whose statement nothing has been heard yet. */
  readonly #lost = new Set<Line>();
  readonly #borrowers = new Set<Borrower>();
  #opening = 0;
  #isClosed = false;
  /** One for the statements of all connections: it fires at the earliest of their times, or earlier. */
  #watchdog: Timer | undefined;
  #firesAt = Infinity;

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
  run(statement: Statement, by: number): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const line = this.#isClosed ? undefined : this.#idle.pop();
      if (line !== undefined) this.#send(line, statement, by, resolve, reject);
      else this.#borrow(by).then((lent) => this.#send(lent, statement, by, resolve, reject), reject);
    });
  }

  /** Ends all connections at once. */
  close(): void {
    this.#isClosed = true;
    this.#refuseAll(this.#failures.notDone('it is closed'));
    for (const line of this.#lines) {
      this.#forget(line);
      line.link.destroy();
    }
    this.#idle.length = 0;
  }

  #send(
    line: Line,
    statement: Statement,
    by: number,
    resolve: (answer: Answer) => void,
    reject: (error: unknown) => void,
  ): void {
    this.commands += 1;
    let isOver = false;
    /** False when the other of time and answer was first. */
    const end = (): boolean => {
      if (isOver) return false;
      isOver = true;
      line.end();
      this.#lost.delete(line);
      return true;
    };
    line.begin(by, (error) => {
      if (!end()) return;
      this.#drop(line);
      reject(error);
    });
    this.#watch(by);
    line.link.query(statement).then(
      (answer) => {
        if (!end()) return;
        this.#giveBack(line);
        resolve(answer);
      },
      (error: unknown) => {
        if (!end()) return;
        if (!isLockError(error) && this.factory.isAnswer(error)) this.#giveBack(line);
        else this.#drop(line);
        this.#failed(error, statement, by).then(resolve, reject);
      },
    );
  }

  /** Tries again where it is worth it. */
  async #failed(error: unknown, statement: Statement, by: number): Promise<Answer> {
    if (isLockError(error)) throw error;
    const verdict = this.factory.judge(error);
    if (verdict === 'unknown') throw this.#failures.noAnswer(textOf(error), error);
    if (verdict === 'no') {
      const advice = this.factory.adviceOn?.(error);
      const text = advice === undefined ? textOf(error) : `${textOf(error)}; ${advice}`;
      throw this.#failures.notDone(text, error);
    }
    const { clock } = this.terms;
    await sleep(clock, AGAIN_MS.least + clock.random() * AGAIN_MS.more);
    if (clock.now() >= by) throw this.#failures.notDone('it lost against others again and again');
    return this.run(statement, by);
  }

  #borrow(by: number): Promise<Line> {
    if (this.#isClosed) return Promise.reject(this.#failures.notDone('it is closed'));
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
        resolve: (line) => (settle(), resolve(line)),
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
    if (this.#lines.size + this.#opening >= size) return;
    this.#opening += 1;
    this.factory.open(operationTimeoutMs).then(
      (link) => {
        this.#opening -= 1;
        this.#opened(link);
      },
      (error: unknown) => {
        this.#opening -= 1;
        // Those who wait for a connection that is in use may still get it.
        if (this.#lines.size === 0) this.#refuseAll(this.#failures.notDone(textOf(error), error));
      },
    );
  }

  #opened(link: SqlLink): void {
    if (this.#isClosed) return link.destroy();
    const line = new Line(link);
    this.#lines.add(line);
    link.onEnd(() => this.#drop(line));
    this.#giveBack(line);
  }

  #giveBack(line: Line): void {
    if (!this.#lines.has(line)) return;
    if (this.#borrowers.size === 0) return void this.#idle.push(line);
    const [next] = this.#borrowers;
    next!.resolve(line);
  }

  #drop(line: Line): void {
    if (!this.#forget(line)) return;
    const at = this.#idle.indexOf(line);
    if (at >= 0) this.#idle.splice(at, 1);
    line.link.destroy();
    this.terms.onLost?.();
    this.#grow();
  }

  #forget(line: Line): boolean {
    if (!this.#lines.delete(line)) return false;
    if (line.by < Infinity) this.#lost.add(line);
    return true;
  }

  #refuseAll(error: Error): void {
    for (const borrower of [...this.#borrowers]) borrower.reject(error);
  }

  /** Sees to it that the watchdog fires at `by`, or earlier. It stays when its statement has ended: most last far shorter. */
  #watch(by: number): void {
    if (by >= this.#firesAt) return;
    const { clock } = this.terms;
    if (this.#watchdog !== undefined) clock.clearTimer(this.#watchdog);
    this.#firesAt = by;
    this.#watchdog = clock.setTimer(() => {
      this.#watchdog = undefined;
      this.#firesAt = Infinity;
      // Timers run before sockets are read: the answer may be there already.
      clock.afterPoll(() => this.#endLate(clock.now()));
    }, by - clock.now());
  }

  /** Ends what has had its time, and goes on watching the rest. */
  #endLate(now: number): void {
    let next = Infinity;
    for (const line of [...this.#lines, ...this.#lost]) {
      if (line.by <= now)
        line.fail(this.#failures.noAnswer(`no answer within ${this.terms.operationTimeoutMs} ms`));
      else next = Math.min(next, line.by);
    }
    if (next < Infinity) this.#watch(next);
  }
}
