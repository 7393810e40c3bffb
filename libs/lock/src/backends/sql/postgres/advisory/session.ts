import { READERS, type Shape } from '../../../../core/claim.js';
import type { Clock } from '../../../../core/clock.js';
import { Failures, textOf } from '../../connection/failures.js';
import type { Answer } from '../../connection/link.js';
import type { PgLink, PgLinks } from '../pg-link.js';

/** A mutex, or a reader or writer: what an advisory lock can be. */
export function isWhole({ mode, units, capacity, order }: Shape): boolean {
  const isReader = mode === 'shared' && units === 1 && capacity === READERS;
  return order === 'any' && (isReader || (mode === 'exclusive' && units === capacity));
}

/** Tokens that one value of the sequence stands for; `migration.sql` counts by it. */
export const TOKENS_PER_VALUE = 65_536;

/** Somebody who holds an advisory lock. */
export interface SessionHolder {
  /** Of the server process. */
  readonly pid: number;
  readonly isShared: boolean;
  readonly isOwn: boolean;
}

interface Question {
  readonly text: string;
  readonly values: readonly unknown[];
  /** Local monotonic ms. */
  readonly by: number;
  /** Any error ends the session. */
  readonly isFinal: boolean;
}

export interface SessionTerms {
  readonly links: PgLinks;
  readonly clock: Clock;
  readonly operationTimeoutMs: number;
  /** The sequence of fencing tokens, quoted. */
  readonly sequence: string;
}

/**
 * The one connection that all locks of a process live on. A statement that is not answered in time ends it: whether its locks
 * are there can no longer be known, and the server frees them as soon as it notices.
 */
export class Session {
  commands = 0;
  readonly #failures = new Failures('postgres session');
  readonly #lost = new Set<() => void>();
  #link: Promise<PgLink> | undefined;
  /** One statement after the other. */
  #last: Promise<unknown> = Promise.resolve();
  readonly #ended = new WeakSet<PgLink>();
  #isClosed = false;

  readonly #terms: SessionTerms;

  constructor(terms: SessionTerms) {
    this.#terms = terms;
  }

  onLost(listener: () => void): void {
    this.#lost.add(listener);
  }

  /** Undefined when others have it. An error ends the session: what it took would stay, whatever became of the statement. */
  async take(
    key: string,
    isShared: boolean,
    tokens: number,
  ): Promise<{ readonly token: number } | undefined> {
    const lock = isShared ? 'pg_try_advisory_lock_shared' : 'pg_try_advisory_lock';
    const token = this.#tokens(tokens);
    const text = `SELECT CASE WHEN ${lock}($1::bigint) THEN ${token} END AS token`;
    const { rows } = await this.ask(text, [key], true);
    const value = rows[0]?.['token'] ?? null;
    return value === null ? undefined : { token: Number(value) };
  }

  /** The first of so many tokens; 0 when none is wanted. The session is asked in any case. */
  async token(tokens: number): Promise<number> {
    const { rows } = await this.ask(`SELECT ${this.#tokens(tokens)} AS token`, []);
    return Number(rows[0]!['token']);
  }

  /** False when the session did not have it. */
  async give(key: string, isShared: boolean): Promise<boolean> {
    const unlock = isShared ? 'pg_advisory_unlock_shared' : 'pg_advisory_unlock';
    const { rows } = await this.ask(`SELECT ${unlock}($1::bigint) AS was_held`, [key]);
    return rows[0]!['was_held'] === true;
  }

  async holders(key: string): Promise<readonly SessionHolder[]> {
    const { rows } = await this.ask(
      `SELECT pid, mode = 'ShareLock' AS is_shared, pid = pg_backend_pid() AS is_own FROM pg_locks
       WHERE locktype = 'advisory' AND granted AND objsubid = 1
         AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
         AND ((classid::bigint << 32) | objid::bigint) = $1::bigint`,
      [key],
    );
    return rows.map((row) => ({
      pid: Number(row['pid']),
      isShared: row['is_shared'] === true,
      isOwn: row['is_own'] === true,
    }));
  }

  /** @throws BackendUnavailableError */
  ask(text: string, values: readonly unknown[], isFinal = false): Promise<Answer> {
    const by = this.#terms.clock.now() + this.#terms.operationTimeoutMs;
    const asked = this.#last.then(() => this.#ask({ text, values, by, isFinal }));
    this.#last = asked.catch(() => undefined);
    return asked;
  }

  close(): void {
    this.#isClosed = true;
    this.#link?.then((link) => link.destroy()).catch(() => undefined);
    this.#link = undefined;
  }

  /** In SQL: one value of the sequence, which stands for as many tokens as anybody may want. */
  #tokens(count: number): string {
    if (count > TOKENS_PER_VALUE)
      throw this.#failures.notDone(`more than ${TOKENS_PER_VALUE} fencing tokens at a time`);
    return count === 0 ? '0::bigint' : `nextval('${this.#terms.sequence}')`;
  }

  async #ask({ text, values, by, isFinal }: Question): Promise<Answer> {
    const { clock, links } = this.#terms;
    if (this.#isClosed) throw this.#failures.notDone('it is closed');
    if (clock.now() >= by) throw this.#failures.notDone('the session was busy for too long');
    let link: PgLink;
    try {
      link = await (this.#link ??= this.#open(by - clock.now()));
    } catch (error) {
      this.#link = undefined;
      throw this.#failures.notDone(textOf(error), error);
    }
    this.commands += 1;
    let isAnswered = false;
    // The statement fails when its connection is dropped. Timers run before sockets are read: the answer may be there already.
    const end = (): void => {
      if (!isAnswered) this.#end(link);
    };
    const timer = clock.setTimer(() => clock.afterPoll(end), by - clock.now());
    try {
      return await link.query({ name: '', text, values });
    } catch (error) {
      if (isFinal || !links.isAnswer(error)) this.#end(link);
      throw links.judge(error) === 'unknown'
        ? this.#failures.noAnswer(textOf(error), error)
        : this.#failures.notDone(textOf(error), error);
    } finally {
      isAnswered = true;
      clock.clearTimer(timer);
    }
  }

  async #open(timeoutMs: number): Promise<PgLink> {
    const link = await this.#terms.links.open(timeoutMs);
    link.onEnd(() => this.#end(link));
    return link;
  }

  #end(link: PgLink): void {
    if (this.#ended.has(link)) return;
    this.#ended.add(link);
    link.destroy();
    this.#link = undefined;
    for (const listener of this.#lost) listener();
  }
}
