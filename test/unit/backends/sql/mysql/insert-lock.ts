import type { Connection, ResultSetHeader, RowDataPacket } from 'mysql2/promise';
import { setTimeout as sleep } from 'node:timers/promises';

/** The server's time after it has the row, µs. */
const NOW = `TIMESTAMPDIFF(MICROSECOND, '1970-01-01', SYSDATE(6))`;
const DEAD_LOCK = 1213;
const LOCK_WAIT_TIMEOUT = 1205;
const PAUSE_MS = 20;

export const INSERT_LOCK_TABLE = `CREATE TABLE IF NOT EXISTS insert_locks (
  name VARBINARY(255) NOT NULL PRIMARY KEY,
  owner VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  entries INT NOT NULL,
  until_us BIGINT NOT NULL
) ENGINE = InnoDB`;

/**
 * The lock of the seed that is a row: the client that inserts it has it, a unique key refuses all others, and the owner enters
 * again by counting up. With what the seed lacks: the database's clock and not that of the client, an owner in every condition,
 * an ended lock that is taken over by one conditional UPDATE and not deleted and inserted anew, statements that are
 * transactions of their own in READ COMMITTED, and deadlocks that are repeated and never surface.
 */
export class InsertLock {
  /** Deadlocks that were met, and repeated. */
  deadLocks = 0;

  private constructor(
    private readonly connection: Connection,
    private readonly owner: string,
  ) {}

  static async on(connection: Connection, owner: string): Promise<InsertLock> {
    await connection.query('SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED');
    await connection.query("SET SESSION time_zone = '+00:00', innodb_lock_wait_timeout = 1");
    return new InsertLock(connection, owner);
  }

  /** How often this owner is in now; 0 when another owner has it. */
  async tryAcquire(name: string, leaseMs: number): Promise<number> {
    const lifeUs = leaseMs * 1_000;
    const entered = await this.#change(
      `UPDATE insert_locks SET entries = LAST_INSERT_ID(entries + 1), until_us = GREATEST(until_us, ${NOW} + ?)
       WHERE name = ? AND owner = ? AND until_us > ${NOW}`,
      [lifeUs, name, this.owner],
    );
    if (entered.affectedRows === 1) return entered.insertId;
    const taken = await this.#change(
      `UPDATE insert_locks SET owner = ?, entries = 1, until_us = ${NOW} + ? WHERE name = ? AND until_us <= ${NOW}`,
      [this.owner, lifeUs, name],
    );
    if (taken.affectedRows === 1) return 1;
    // Looked at without a lock before: an insertion that is refused would lock the row of the owner.
    const [rows] = await this.connection.query<RowDataPacket[]>('SELECT 1 FROM insert_locks WHERE name = ?', [
      name,
    ]);
    if (rows.length > 0) return 0;
    const inserted = await this.#change(
      `INSERT IGNORE INTO insert_locks (name, owner, entries, until_us) VALUES (?, ?, 1, ${NOW} + ?)`,
      [name, this.owner, lifeUs],
    );
    return inserted.affectedRows;
  }

  async acquire(name: string, leaseMs: number, waitMs: number): Promise<number> {
    for (
      const end = performance.now() + waitMs;
      performance.now() < end;
      await sleep(Math.random() * PAUSE_MS)
    ) {
      const entries = await this.tryAcquire(name, leaseMs);
      if (entries > 0) return entries;
    }
    return 0;
  }

  /** Whether it was held. The last one out removes the row. */
  async release(name: string): Promise<boolean> {
    const held = `WHERE name = ? AND owner = ? AND until_us > ${NOW}`;
    const left = await this.#change(`UPDATE insert_locks SET entries = entries - 1 ${held} AND entries > 1`, [
      name,
      this.owner,
    ]);
    if (left.affectedRows === 1) return true;
    const gone = await this.#change(`DELETE FROM insert_locks ${held}`, [name, this.owner]);
    return gone.affectedRows === 1;
  }

  async #change(sql: string, values: (string | number)[]): Promise<ResultSetHeader> {
    for (;;) {
      try {
        return (await this.connection.execute<ResultSetHeader>(sql, values))[0];
      } catch (error) {
        const { errno } = error as { errno?: number };
        if (errno !== DEAD_LOCK && errno !== LOCK_WAIT_TIMEOUT) throw error;
        this.deadLocks += 1;
      }
    }
  }
}
