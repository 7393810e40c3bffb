import { UnsupportedByBackendError } from '../../../../core/errors.js';
import type { SqlResult } from '../../connection/link.js';
import type { Ask, ServerLock, ServerLocks } from '../../session-locks/session-admin.js';
import { BACKEND, isReadingDenied } from '../connection/failures.js';

/** MariaDB's plugin has all locks. The performance schema has those that were taken since it was told to watch them. */
const HAS_PLUGIN = `SELECT COUNT(*) AS found FROM information_schema.TABLES
  WHERE TABLE_SCHEMA = 'information_schema' AND TABLE_NAME = 'METADATA_LOCK_INFO'`;
const BY_PLUGIN = `SELECT TABLE_SCHEMA AS name, THREAD_ID AS session FROM information_schema.METADATA_LOCK_INFO
  WHERE LOCK_TYPE = 'User lock'`;
const IS_WATCHED = `SELECT COUNT(*) AS found FROM performance_schema.setup_instruments
  WHERE NAME = 'wait/lock/metadata/sql/mdl' AND ENABLED = 'YES'`;
const WATCHED = `SELECT held.OBJECT_NAME AS name, thread.PROCESSLIST_ID AS session
  FROM performance_schema.metadata_locks AS held
  JOIN performance_schema.threads AS thread ON thread.THREAD_ID = held.OWNER_THREAD_ID
  WHERE held.OBJECT_TYPE = 'USER LEVEL LOCK' AND held.LOCK_STATUS = 'GRANTED'`;

/** Named locks of all sessions, on servers that list them. Their names are those of resources, or digests of them. */
export const NAMED_LOCKS: ServerLocks = {
  async all(ask) {
    if (await isFound(ask, HAS_PLUGIN)) return locksIn(await ask(BY_PLUGIN));
    try {
      if (await isFound(ask, IS_WATCHED)) return locksIn(await ask(WATCHED));
    } catch (error) {
      if (!isReadingDenied((error as Error).cause)) throw error;
      throw unsupported('for this user', 'grant SELECT on performance_schema.*');
    }
    throw unsupported('on this server', "enable 'wait/lock/metadata/sql/mdl' in the performance schema");
  },
};

function unsupported(where: string, cure: string): UnsupportedByBackendError {
  const feature = `a list of named locks ${where}`;
  return new UnsupportedByBackendError(
    BACKEND,
    feature,
    `${cure}, or install MariaDB's plugin metadata_lock_info`,
  );
}

async function isFound(ask: Ask, text: string): Promise<boolean> {
  const { rows } = await ask(text);
  return Number(rows[0]?.['found']) > 0;
}

function locksIn({ rows }: SqlResult): readonly ServerLock[] {
  return rows.map((row) => ({
    name: String(row['name']),
    session: Number(row['session']),
    isShared: false,
  }));
}
