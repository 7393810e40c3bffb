import { UnsupportedByBackendError } from '../../../../core/errors.js';
import type { SqlResult } from '../../connection/link.js';
import type { ServerLock } from '../../session-locks/session-admin.js';
import { BACKEND } from '../connection/failures.js';
import { MAX_NAME_LENGTH } from './lock-name.js';
import type { MysqlSessionLink } from './session-link.js';

/** What lists named locks: the performance schema, or a plugin of MariaDB. */
const SOURCES = `SELECT
  (SELECT COUNT(*) FROM performance_schema.setup_instruments
   WHERE NAME = 'wait/lock/metadata/sql/mdl' AND ENABLED = 'YES') AS watched,
  (SELECT COUNT(*) FROM information_schema.TABLES
   WHERE TABLE_SCHEMA = 'information_schema' AND TABLE_NAME = 'METADATA_LOCK_INFO') AS plugin`;
const WATCHED = `SELECT held.OBJECT_NAME AS name, thread.PROCESSLIST_ID AS session
  FROM performance_schema.metadata_locks AS held
  JOIN performance_schema.threads AS thread ON thread.THREAD_ID = held.OWNER_THREAD_ID
  WHERE held.OBJECT_TYPE = 'USER LEVEL LOCK' AND held.LOCK_STATUS = 'GRANTED'`;
const BY_PLUGIN = `SELECT TABLE_SCHEMA AS name, THREAD_ID AS session FROM information_schema.METADATA_LOCK_INFO
  WHERE LOCK_TYPE = 'User lock'`;

/**
 * The named locks of all sessions, if the server lists them. A server has them in its memory, but MySQL 5.7 and MariaDB show them only
 * where they are told to.
 * @throws BackendUnavailableError, also without the right to read them; UnsupportedByBackendError
 */
export async function readNamedLocks(link: MysqlSessionLink): Promise<readonly ServerLock[]> {
  const { watched, plugin } = await link.query(SOURCES, [], ({ rows: [row] }) => ({
    watched: Number(row?.['watched']) > 0,
    plugin: Number(row?.['plugin']) > 0,
  }));
  if (!watched && !plugin)
    throw new UnsupportedByBackendError(
      BACKEND,
      'a list of named locks where the server keeps none',
      "enable 'wait/lock/metadata/sql/mdl' in the performance schema, or install the plugin metadata_lock_info of MariaDB",
    );
  return link.query(watched ? WATCHED : BY_PLUGIN, [], ({ rows }) => lockRows(rows));
}

/** The named lock of this very name, if it is held. @throws BackendUnavailableError */
export async function readNamedLock(link: MysqlSessionLink, name: string): Promise<readonly ServerLock[]> {
  if (name.length === 0 || name.length > MAX_NAME_LENGTH) return [];
  const text = 'SELECT ? AS name, IS_USED_LOCK(?) AS session';
  return link.query(text, [name, name], ({ rows }) =>
    lockRows(rows.filter((row) => row['session'] !== null)),
  );
}

function lockRows(rows: SqlResult['rows']): readonly ServerLock[] {
  return rows.map((row) => ({
    name: String(row['name']),
    session: Number(row['session']),
    isShared: false,
  }));
}
