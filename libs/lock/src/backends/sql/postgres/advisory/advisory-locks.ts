import type { Ask, ServerLock, ServerLocks } from '../../session-locks/session-admin.js';
import { keyInServerName, serverNameOf } from './advisory-key.js';

/**
 * The locks in this database that a number of 64 bits names. The key is a text: a program may have pg parse such numbers as it likes.
 * That of a prepared transaction has no process.
 */
const HELD = `SELECT key::text AS key, pid, is_shared, pid IS NOT DISTINCT FROM pg_backend_pid() AS is_own FROM (
    SELECT (classid::bigint << 32) | objid::bigint AS key, pid, mode = 'ShareLock' AS is_shared
    FROM pg_locks
    WHERE locktype = 'advisory' AND granted AND objsubid = 1
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
  ) AS held WHERE $1::bigint IS NULL OR key = $1::bigint`;

export interface AdvisoryLock extends ServerLock {
  /** The session that asks has it. */
  readonly isOwn: boolean;
}

/** The advisory locks that sessions and transactions have. @param key of one of them @default all */
export async function readAdvisoryLocks(ask: Ask, key?: string): Promise<readonly AdvisoryLock[]> {
  const { rows } = await ask(HELD, [key ?? null]);
  return rows.map((row) => ({
    name: serverNameOf(String(row['key'])),
    // The process of the server that serves it.
    session: row['pid'] === null ? undefined : Number(row['pid']),
    isShared: row['is_shared'] === true,
    isOwn: row['is_own'] === true,
  }));
}

export const ADVISORY_LOCKS: ServerLocks = {
  all: readAdvisoryLocks,
  async named(ask, serverName) {
    const key = keyInServerName(serverName);
    return key === undefined ? [] : readAdvisoryLocks(ask, key);
  },
};
