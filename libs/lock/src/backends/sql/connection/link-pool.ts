import { sleep, type Clock } from '../../../core/clock.js';
import { isLockError } from '../../../core/errors.js';
import { EarliestTimer } from '../../../runtime/earliest-timer.js';
import { BackendErrors, textOf, textWithAdvice } from './failures.js';
import type { SqlResult, SqlLink, SqlLinkFactory, Statement } from './link.js';

/** Pauses before what lost against others is tried again, in ms: at least, and so much more by chance. */
const CONFLICT_PAUSE_MS = { least: 1, more: 9 };

/** Not a waiter of `Readiness`: each connection serves one borrower, an urgent one or else the one that came first. */
interface Borrower {
  readonly resolve: (pooled: PooledLink) => void;
  readonly reject: (error: Error) => void;
}

/** A statement that is to be run. */
interface StatementCall {
  readonly statement: Statement;
  readonly deadline: number;
  readonly isUrgent: boolean;
}

/** What has to be known about connections. */
export interface LinkPoolDeps {
  readonly clock: Clock;
  /** Most connections at a time. */
  readonly size: number;
  readonly operationTimeoutMs: number;
  /** A connection was lost: the next one may lead to another server. */
  onLost?(): void;
}

/** A connection, and the statement in flight on it. */
class PooledLink {
  /** Local monotonic ms at which the statement is settled at the latest; Infinity when there is none. */
  deadline = Infinity;
  /** Ends the statement without an answer. */
  fail: (error: Error) => void = nothing;

  constructor(readonly link: SqlLink) {}

  begin(deadline: number, fail: (error: Error) => void): void {
    this.deadline = deadline;
    this.fail = fail;
  }

  end(): void {
    this.deadline = Infinity;
    this.fail = nothing;
  }
}

const nothing = (): void => undefined;

/**
 * A few connections of the backend's own, opened when they are needed. Every statement settles by
 * its time; a connection whose statement did not is destroyed, since its answer could still come.
 */
export class LinkPool {
  /** Statements that were sent. */
  commands = 0;
  readonly #errors: BackendErrors;
  readonly #links = new Set<PooledLink>();
  readonly #idle: PooledLink[] = [];
  /** Given-up connections whose statement has not been answered yet. */
  readonly #abandoned = new Set<PooledLink>();
  readonly #borrowers = new Set<Borrower>();
  /** Those of the borrowers that go before the others. */
  readonly #urgentBorrowers = new Set<Borrower>();
  #opening = 0;
  #isClosed = false;
  /**
   * One for the statements of all connections. `RedisCalls` is no twin: its calls end in the order in which they
   * began, and it watches the silence of a connection too.
   */
  readonly #watchdog: EarliestTimer;

  constructor(
    private readonly factory: SqlLinkFactory,
    backend: string,
    private readonly deps: LinkPoolDeps,
  ) {
    this.#errors = new BackendErrors(backend);
    const { clock } = deps;
    // Timers run before sockets are read: the answer may be there already.
    this.#watchdog = new EarliestTimer(clock, () => clock.afterPoll(() => this.#endLate(clock.now())));
  }

  /**
   * Runs a statement, again after a deadlock or a serialization failure.
   * @param deadline local monotonic ms
   * @param isUrgent it takes the next free connection, before all others that wait: a lease may end without it
   * @throws BackendUnavailableError
   */
  run(statement: Statement, deadline: number, isUrgent = false): Promise<SqlResult> {
    const call = { statement, deadline, isUrgent };
    return new Promise((resolve, reject) => {
      const pooled = this.#isClosed ? undefined : this.#idle.pop();
      if (pooled !== undefined) this.#send(pooled, call, resolve, reject);
      else this.#borrow(call).then((borrowed) => this.#send(borrowed, call, resolve, reject), reject);
    });
  }

  /** Ends all connections at once. */
  close(): void {
    this.#isClosed = true;
    this.#refuseAll(this.#errors.notExecuted('it is closed'));
    for (const pooled of this.#links) {
      this.#forget(pooled);
      pooled.link.destroy();
    }
    this.#idle.length = 0;
  }

  #send(
    pooled: PooledLink,
    call: StatementCall,
    resolve: (answer: SqlResult) => void,
    reject: (error: unknown) => void,
  ): void {
    const { statement, deadline } = call;
    this.commands += 1;
    let isOver = false;
    /** False when the other of time and answer was first. */
    const end = (): boolean => {
      if (isOver) return false;
      isOver = true;
      pooled.end();
      this.#abandoned.delete(pooled);
      return true;
    };
    pooled.begin(deadline, (error) => {
      if (!end()) return;
      this.#drop(pooled);
      reject(error);
    });
    this.#watchdog.arm(deadline);
    pooled.link.query(statement).then(
      (answer) => {
        if (!end()) return;
        this.#release(pooled);
        resolve(answer);
      },
      (error: unknown) => {
        if (!end()) return;
        if (!isLockError(error) && this.factory.isUsableAfter(error)) this.#release(pooled);
        else this.#drop(pooled);
        this.#failed(error, call).then(resolve, reject);
      },
    );
  }

  /** Tries again where it is worth it. */
  async #failed(error: unknown, { statement, deadline, isUrgent }: StatementCall): Promise<SqlResult> {
    if (isLockError(error)) throw error;
    const verdict = this.factory.classify(error);
    if (verdict === 'unknown') throw this.#errors.noAnswer(textOf(error), error);
    if (verdict === 'no') throw this.#errors.notExecuted(textWithAdvice(error, this.factory), error);
    const { clock } = this.deps;
    await sleep(clock, CONFLICT_PAUSE_MS.least + clock.random() * CONFLICT_PAUSE_MS.more);
    if (clock.now() >= deadline) throw this.#errors.notExecuted('it lost against others again and again');
    return this.run(statement, deadline, isUrgent);
  }

  #borrow({ deadline, isUrgent }: StatementCall): Promise<PooledLink> {
    if (this.#isClosed) return Promise.reject(this.#errors.notExecuted('it is closed'));
    return new Promise((resolve, reject) => {
      const { clock } = this.deps;
      const timer = clock.setTimer(() => {
        borrower.reject(this.#errors.notExecuted('no connection was free in time'));
      }, deadline - clock.now());
      const settle = (): void => {
        this.#borrowers.delete(borrower);
        this.#urgentBorrowers.delete(borrower);
        clock.clearTimer(timer);
      };
      const borrower: Borrower = {
        resolve: (pooled) => (settle(), resolve(pooled)),
        reject: (error) => (settle(), reject(error)),
      };
      this.#borrowers.add(borrower);
      if (isUrgent) this.#urgentBorrowers.add(borrower);
      this.#grow();
    });
  }

  /** One more connection, if a caller waits that no opening connection will serve. */
  #grow(): void {
    const { size, operationTimeoutMs } = this.deps;
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
        // The callers that wait for a connection in use may still get it.
        if (this.#links.size === 0) this.#refuseAll(this.#errors.notExecuted(textOf(error), error));
      },
    );
  }

  #opened(link: SqlLink): void {
    if (this.#isClosed) return link.destroy();
    const pooled = new PooledLink(link);
    this.#links.add(pooled);
    link.onEnd(() => this.#drop(pooled));
    this.#release(pooled);
  }

  #release(pooled: PooledLink): void {
    if (!this.#links.has(pooled)) return;
    const [next] = this.#urgentBorrowers.size > 0 ? this.#urgentBorrowers : this.#borrowers;
    if (next === undefined) return void this.#idle.push(pooled);
    next.resolve(pooled);
  }

  #drop(pooled: PooledLink): void {
    if (!this.#forget(pooled)) return;
    const at = this.#idle.indexOf(pooled);
    if (at >= 0) this.#idle.splice(at, 1);
    pooled.link.destroy();
    this.deps.onLost?.();
    this.#grow();
  }

  #forget(pooled: PooledLink): boolean {
    if (!this.#links.delete(pooled)) return false;
    if (pooled.deadline < Infinity) this.#abandoned.add(pooled);
    return true;
  }

  #refuseAll(error: Error): void {
    for (const borrower of [...this.#borrowers]) borrower.reject(error);
  }

  /** Ends statements that are over time, and goes on watching the rest. */
  #endLate(now: number): void {
    let next = Infinity;
    for (const pooled of [...this.#links, ...this.#abandoned]) {
      if (pooled.deadline <= now)
        pooled.fail(this.#errors.noAnswer(`no answer within ${this.deps.operationTimeoutMs} ms`));
      else next = Math.min(next, pooled.deadline);
    }
    this.#watchdog.arm(next);
  }
}
