import type { SqlResult, SqlLink, Statement } from '../../connection/link.js';
import type { Connection } from './client.js';
import { noAnswer, notExecuted } from './failures.js';
import { splitLongValues } from './long-values.js';

/** What mysql2 answers to a change. */
interface MysqlResultHeader {
  readonly affectedRows?: number;
  readonly insertId?: number;
}

/** One connection of mysql2. Statements are answered in the order in which they were sent. */
export class MysqlLink implements SqlLink {
  /** The callers that wait for answers: few, and mostly answered in their order. */
  readonly #pendingRejects: ((error: Error) => void)[] = [];
  readonly #listeners: (() => void)[] = [];
  #isOpen = true;
  #commands = 0;

  constructor(private readonly client: Connection) {
    const end = (error?: unknown): void => this.#end(error);
    client.on('error', end);
    client.on('end', end);
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Statements sent. */
  get commands(): number {
    return this.#commands;
  }

  /**
   * Sends one statement: prepared where it has values, so that nothing is ever written into its text.
   * @throws the error of mysql2, or BackendUnavailableError where the connection was lost
   */
  query(statement: Statement): Promise<SqlResult> {
    if (!this.#isOpen) return Promise.reject(notExecuted('the connection is closed'));
    const { text, values } = splitLongValues(statement);
    this.#commands += 1;
    return new Promise((resolve, reject) => {
      // A client that has lost its connection may never answer.
      this.#pendingRejects.push(reject);
      const done = (error: Error | null, reply: unknown): void => {
        const at = this.#pendingRejects.indexOf(reject);
        if (at >= 0) this.#pendingRejects.splice(at, 1);
        if (error === null) resolve(answerOf(reply));
        else reject(error);
      };
      if (values.length === 0) this.client.query(text, done);
      else this.client.execute(text, values as string[], done);
    });
  }

  destroy(): void {
    if (!this.#isOpen) return;
    this.#listeners.length = 0;
    this.#end(new Error('it was given up'));
  }

  onEnd(listener: () => void): void {
    this.#listeners.push(listener);
  }

  #end(cause: unknown): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.client.destroy();
    for (const reject of this.#pendingRejects.splice(0)) reject(noAnswer('the connection was lost', cause));
    for (const listener of this.#listeners) listener();
  }
}

function answerOf(reply: unknown): SqlResult {
  if (Array.isArray(reply)) return { rows: reply as SqlResult['rows'], affected: 0, insertId: 0 };
  const { affectedRows = 0, insertId = 0 } = reply as MysqlResultHeader;
  return { rows: [], affected: affectedRows, insertId };
}
