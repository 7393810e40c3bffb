import { checkFields, checkTime } from '../../../../core/checks.js';
import type { Clock } from '../../../../core/clock.js';
import {
  BackendUnavailableError,
  InvalidOptionError,
  LockBusyError,
  LockWaitTimeoutError,
} from '../../../../core/errors.js';
import { checkName } from '../../../../core/key.js';
import { LinkPool } from '../../connection/link-pool.js';
import { BACKEND, isDeadlock, isRowLocked, toBackendError } from '../connection/failures.js';
import { MysqlLinkFactory } from '../connection/mysql-link-factory.js';
import {
  resolveTransactionOptions,
  type MysqlSettings,
  type MysqlTransactionOptions,
} from '../mysql-options.js';
import { schemaOf, tableNamesOf } from '../locks/tables.js';
import { TurnRows } from './turn-rows.js';

/**
 * A connection of the caller with an open transaction: one of `mysql2/promise`, a query runner of
 * TypeORM, or any object that answers statements like mysql2. Never a pool, whose statements go to
 * any connection.
 */
export interface MysqlTransaction {
  query(statement: string): Promise<unknown>;
}

export interface MysqlTransactionLockOptions {
  /**
   * Longest wait, in ms, which the server counts in whole seconds. 0: do not wait. @default what the session has
   * (`innodb_lock_wait_timeout`)
   */
  readonly waitMs?: number;
}

/** What mysql2 answers to a statement without rows. */
interface TransactionResultHeader {
  readonly affectedRows?: number;
  readonly serverStatus?: number;
}

const LOCK_FIELDS: ReadonlySet<string> = new Set<keyof MysqlTransactionLockOptions>(['waitMs']);
const IN_TRANSACTION = 1;
const MAX_WAIT_S = 1_000_000;
const SCHEMA_TIMEOUTS = 5;

/**
 * Locks that are rows, taken by `SELECT ... FOR UPDATE` in the caller's transaction. They end with
 * it, even if the process dies, and the next holder sees the changes made under them. No lease, no
 * renewal, no token.
 * @throws InvalidOptionError naming the field; nothing is sent
 */
export function mysqlTransactionLocks(options: string | MysqlTransactionOptions): MysqlTransactionLocks {
  return new MysqlTransactionLocks(resolveTransactionOptions(options));
}

/** See {@link mysqlTransactionLocks}. */
export class MysqlTransactionLocks {
  // PostgreSQL has its own, since its locks need no rows. Here the server waits, in whole seconds; there the caller asks again.
  // Names are sorted here, and keys there, since two names may share a key.
  readonly #pool: LinkPool;
  readonly #rows: TurnRows;
  readonly #table: string;
  readonly #clock: Clock;

  readonly #settings: MysqlSettings;

  /** @internal They come from `mysqlTransactionLocks()`. */
  constructor(settings: MysqlSettings) {
    this.#settings = settings;
    const { connection, clock, operationTimeoutMs, tablePrefix } = settings;
    this.#clock = clock;
    this.#table = tableNamesOf(tablePrefix).turns;
    this.#pool = new LinkPool(new MysqlLinkFactory(connection, clock), BACKEND, {
      clock,
      size: 1,
      operationTimeoutMs,
    });
    this.#rows = new TurnRows(this.#pool, this.#table);
  }

  /** Makes the tables where they are missing. @throws BackendUnavailableError */
  async ensureSchema(): Promise<void> {
    const { operationTimeoutMs, tablePrefix } = this.#settings;
    const deadline = this.#clock.now() + operationTimeoutMs * SCHEMA_TIMEOUTS;
    for (const text of schemaOf(tableNamesOf(tablePrefix)))
      await this.#pool.run({ name: '', text, values: [] }, deadline);
  }

  /**
   * Takes the locks in the order of their names, all in this transaction; they are held until it
   * ends. Repeatable. After LockBusyError and LockWaitTimeoutError the transaction goes on without
   * the lock, and with those taken before it.
   * @throws LockBusyError, LockWaitTimeoutError; BackendUnavailableError when the transaction has
   * to be repeated as a whole
   */
  async lock(
    transaction: MysqlTransaction,
    resources: string | readonly string[],
    options: MysqlTransactionLockOptions = {},
  ): Promise<void> {
    checkTransaction(transaction);
    const names = namesOf(resources);
    checkFields('options', options, LOCK_FIELDS);
    const { waitMs } = options;
    if (waitMs !== undefined) checkTime('waitMs', waitMs, 0, MAX_WAIT_S * 1_000);
    const deadline = this.#clock.now() + this.#settings.operationTimeoutMs;
    // Outside of the transaction: a row that is missing would be a gap, which any number of
    // transactions may lock at a time.
    for (const name of names) await this.#rows.make(name, deadline);
    if (waitMs === undefined || waitMs === 0) return this.#take(transaction, names, waitMs);
    await transaction.query(
      `SET @bedrock_wait = @@SESSION.innodb_lock_wait_timeout, SESSION innodb_lock_wait_timeout = ${Math.ceil(waitMs / 1_000)}`,
    );
    try {
      await this.#take(transaction, names, waitMs);
    } finally {
      await transaction.query('SET SESSION innodb_lock_wait_timeout = @bedrock_wait').catch(() => undefined);
    }
  }

  /** Ends the own connection, on which rows are made. Transactions go on. */
  close(): void {
    this.#pool.close();
  }

  async #take(transaction: MysqlTransaction, names: readonly string[], waitMs?: number): Promise<void> {
    const startedAt = this.#clock.now();
    for (const name of names) {
      const header = await this.#select(transaction, name, waitMs === 0).catch((error: unknown) => {
        throw this.#failure(error, name, waitMs, startedAt);
      });
      if (header.serverStatus !== undefined && (header.serverStatus & IN_TRANSACTION) === 0) {
        throw new InvalidOptionError(
          'transaction',
          'one that has begun, or the lock ends at once',
          transaction,
        );
      }
      if (header.affectedRows !== 0) continue;
      this.#rows.forget(name);
      throw new BackendUnavailableError(BACKEND, `the row was removed; ${REPEAT}`, 'no', { resource: name });
    }
  }

  /** Into a variable: so the answer tells whether the connection is in a transaction. */
  async #select(
    transaction: MysqlTransaction,
    name: string,
    isNoWait: boolean,
  ): Promise<TransactionResultHeader> {
    // As hexadecimal digits: nothing of a name is ever text of a statement.
    const bytes = Buffer.from(name, 'utf8').toString('hex');
    const wait = isNoWait ? ' NOWAIT' : '';
    const answer = await transaction.query(
      `SELECT 1 INTO @bedrock_turn FROM ${this.#table} WHERE resource = x'${bytes}' FOR UPDATE${wait}`,
    );
    return (
      (Array.isArray(answer)
        ? (answer[0] as TransactionResultHeader | undefined)
        : (answer as TransactionResultHeader | undefined)) ?? {}
    );
  }

  #failure(error: unknown, resource: string, waitMs: number | undefined, startedAt: number): Error {
    if (isRowLocked(error)) {
      if (waitMs === 0) return new LockBusyError(resource);
      return new LockWaitTimeoutError(resource, this.#clock.now() - startedAt);
    }
    const { detail, executed } = toBackendError(error);
    const advice = isDeadlock(error) ? `; ${REPEAT}` : '';
    return new BackendUnavailableError(BACKEND, `${detail}${advice}`, executed, { cause: error, resource });
  }
}

const REPEAT = 'roll the transaction back and repeat all of it';

function namesOf(resources: string | readonly string[]): readonly string[] {
  if (typeof resources === 'string') return [checkName('resource', resources)];
  if (!Array.isArray(resources) || resources.length === 0)
    throw new InvalidOptionError('resources', 'a name, or a list of names that is not empty', resources);
  const names = resources.map((name, i) => checkName(`resources[${i}]`, name));
  return [...new Set(names)].sort();
}

function checkTransaction(transaction: unknown): void {
  const given = transaction as { query?: unknown; getConnection?: unknown; promise?: unknown } | null;
  const isOne =
    typeof given === 'object' &&
    typeof given?.query === 'function' &&
    given.getConnection === undefined &&
    given.promise === undefined;
  if (isOne) return;
  throw new InvalidOptionError(
    'transaction',
    'a connection of mysql2/promise, or its like, and neither a pool nor one with callbacks',
    transaction,
  );
}
