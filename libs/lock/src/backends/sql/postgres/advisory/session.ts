import { READERS, type Shape } from '../../../../core/claim.js';
import type { Clock } from '../../../../core/clock.js';
import { SerialExecutor } from '../../../../runtime/serial-executor.js';
import { BackendErrors, textOf, textWithAdvice } from '../../connection/failures.js';
import type { SqlResult } from '../../connection/link.js';
import type { PgLink, PgLinkFactory } from '../pg-link.js';

export const BACKEND = 'postgres session';

/** The shapes of an advisory lock: a mutex, a reader or a writer. */
export function isAdvisoryLockShape({ mode, units, capacity, order }: Shape): boolean {
  const isReader = mode === 'shared' && units === 1 && capacity === READERS;
  return order === 'any' && (isReader || (mode === 'exclusive' && units === capacity));
}

/** Tokens that one value of the sequence stands for; `migration.sql` counts by it. */
export const TOKENS_PER_VALUE = 65_536;

interface SessionQuery {
  readonly text: string;
  readonly values: readonly unknown[];
  /** Local monotonic ms. */
  readonly deadline: number;
  /** Any error ends the session. */
  readonly endsOnError: boolean;
}

export interface PgSessionDeps {
  readonly links: PgLinkFactory;
  readonly clock: Clock;
  readonly operationTimeoutMs: number;
  /** The sequence of fencing tokens, quoted. */
  readonly sequence: string;
  /** A session has ended, and its locks with it. */
  readonly onEnd: () => void;
}

/**
 * The one connection of all locks of a process. A statement without an answer in time ends it: whether its locks
 * still exist is then unknown, and the server frees them as soon as it notices. MySQL has its own session, whose
 * late answers count.
 */
export class PgSession {
  commands = 0;
  readonly #errors = new BackendErrors(BACKEND);
  #link: Promise<PgLink> | undefined;
  /** One statement after the other. */
  readonly #statements = new SerialExecutor();
  readonly #ended = new WeakSet<PgLink>();
  #isClosed = false;

  readonly #deps: PgSessionDeps;

  constructor(deps: PgSessionDeps) {
    this.#deps = deps;
  }

  /**
   * Undefined when others hold it. An error ends the session: a lock that the statement took would
   * stay otherwise.
   */
  async acquire(
    key: string,
    isShared: boolean,
    tokens: number,
  ): Promise<{ readonly token: number } | undefined> {
    const lock = isShared ? 'pg_try_advisory_lock_shared' : 'pg_try_advisory_lock';
    const token = this.#tokenExpression(tokens);
    const text = `SELECT CASE WHEN ${lock}($1::bigint) THEN ${token} END AS token`;
    const { rows } = await this.query(text, [key], true);
    const value = rows[0]?.['token'] ?? null;
    return value === null ? undefined : { token: Number(value) };
  }

  /** The first of so many tokens; 0 when none is wanted. The session is queried in any case. */
  async nextToken(tokens: number): Promise<number> {
    const { rows } = await this.query(`SELECT ${this.#tokenExpression(tokens)} AS token`, []);
    return Number(rows[0]!['token']);
  }

  /** False when the session did not have it. */
  async release(key: string, isShared: boolean): Promise<boolean> {
    const unlock = isShared ? 'pg_advisory_unlock_shared' : 'pg_advisory_unlock';
    const { rows } = await this.query(`SELECT ${unlock}($1::bigint) AS was_held`, [key]);
    return rows[0]!['was_held'] === true;
  }

  /** @throws BackendUnavailableError */
  query(text: string, values: readonly unknown[], endsOnError = false): Promise<SqlResult> {
    const deadline = this.#deps.clock.now() + this.#deps.operationTimeoutMs;
    return this.#statements.run(() => this.#query({ text, values, deadline, endsOnError }));
  }

  close(): void {
    this.#isClosed = true;
    this.#link?.then((link) => link.destroy()).catch(() => undefined);
    this.#link = undefined;
  }

  /** In SQL: one value of the sequence, which stands for as many tokens as a caller may want. */
  #tokenExpression(count: number): string {
    if (count > TOKENS_PER_VALUE)
      throw this.#errors.notExecuted(`more than ${TOKENS_PER_VALUE} fencing tokens at a time`);
    return count === 0 ? '0::bigint' : `nextval('${this.#deps.sequence}')`;
  }

  async #query({ text, values, deadline, endsOnError }: SessionQuery): Promise<SqlResult> {
    const { clock, links } = this.#deps;
    if (this.#isClosed) throw this.#errors.notExecuted('it is closed');
    if (clock.now() >= deadline) throw this.#errors.notExecuted('the session was busy for too long');
    let link: PgLink;
    try {
      link = await (this.#link ??= this.#open(deadline - clock.now()));
    } catch (error) {
      this.#link = undefined;
      throw this.#errors.notExecuted(textOf(error), error);
    }
    this.commands += 1;
    let isAnswered = false;
    // The statement fails when its connection is dropped. Timers run before sockets are read: the
    // answer may be there already.
    const end = (): void => {
      if (!isAnswered) this.#end(link);
    };
    const timer = clock.setTimer(() => clock.afterPoll(end), deadline - clock.now());
    try {
      return await link.query({ name: '', text, values });
    } catch (error) {
      if (endsOnError || !links.isUsableAfter(error)) this.#end(link);
      throw links.classify(error) === 'unknown'
        ? this.#errors.noAnswer(textOf(error), error)
        : this.#errors.notExecuted(textWithAdvice(error, links), error);
    } finally {
      isAnswered = true;
      clock.clearTimer(timer);
    }
  }

  async #open(timeoutMs: number): Promise<PgLink> {
    const link = await this.#deps.links.open(timeoutMs);
    link.onEnd(() => this.#end(link));
    return link;
  }

  #end(link: PgLink): void {
    if (this.#ended.has(link)) return;
    this.#ended.add(link);
    link.destroy();
    this.#link = undefined;
    this.#deps.onEnd();
  }
}
