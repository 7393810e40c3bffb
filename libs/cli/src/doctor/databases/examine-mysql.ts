import mysql, { type Connection, type RowDataPacket } from 'mysql2/promise';
import type { BackendSettings } from '../../input/open-backend.js';
import { visible, visibleMessage } from '../../output/visible.js';
import { countText } from '../findings/count-text.js';
import { note, ok, problem, type Examination, type Finding } from '../findings/finding.js';
import { measure, operationLimit } from '../findings/measure.js';
import { versionFinding } from '../findings/version-finding.js';
import { tableFindings, type TableState } from './table-findings.js';
import { neededTables, type NeededTable } from './table-names.js';

const OLDEST_MARIADB = [10, 6] as const;
const OLDEST_MYSQL = [8, 0] as const;
const NO_SUCH_TABLE = 'ER_NO_SUCH_TABLE';
/** The right is there, or the check of the role says why not. */
const HARMLESS = new Set([
  'ER_NO_DEFAULT_FOR_FIELD',
  'ER_OPTION_PREVENTS_STATEMENT',
  'ER_READ_ONLY_MODE',
  'ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION',
]);
const DENIED = new Set(['ER_TABLEACCESS_DENIED_ERROR', 'ER_COLUMNACCESS_DENIED_ERROR']);

/** For each right, a statement that needs it and changes nothing. */
const TRIALS: Readonly<Record<string, (table: NeededTable) => string>> = {
  SELECT: ({ name }) => `SELECT 1 FROM ${name} WHERE FALSE`,
  INSERT: ({ name, keyColumn }) => `INSERT INTO ${name} (${keyColumn}) SELECT '' FROM DUAL WHERE FALSE`,
  UPDATE: ({ name, keyColumn }) => `UPDATE ${name} SET ${keyColumn} = '' WHERE FALSE`,
  DELETE: ({ name }) => `DELETE FROM ${name} WHERE FALSE`,
};

interface MysqlFacts {
  readonly version: string;
  /** A number, or a word on newer versions of MariaDB. */
  readonly isReadOnly: number | string;
  readonly flush: number;
  readonly hasFixedTime: number;
  readonly replicas: number;
}

/** Without PROCESS, the list shows only the threads of this user, so replicas stay unseen. */
const FACTS = `
  SELECT VERSION() AS version, @@GLOBAL.read_only AS isReadOnly, @@GLOBAL.innodb_flush_log_at_trx_commit AS flush,
    (SYSDATE(6) = CONCAT(IF(SLEEP(0.01), '', ''), SYSDATE(6))) AS hasFixedTime,
    (SELECT COUNT(*) FROM information_schema.processlist WHERE command LIKE 'Binlog Dump%') AS replicas`;

export async function examineMysql(
  url: string,
  settings: BackendSettings,
  timeoutMs: number,
): Promise<Examination> {
  const { hostname, port } = new URL(url);
  const subject = `${hostname}:${port || 3_306}`;
  const findings: Finding[] = [];
  let connection: Connection | undefined;
  try {
    connection = await mysql.createConnection({
      uri: url.replace(/^mariadb:/i, 'mysql:'),
      connectTimeout: timeoutMs,
    });
    const database = new BoundedDatabase(connection, timeoutMs);
    // Trials must not wait for locks of tables, and times must not be ambiguous when a summer ends.
    await database.rows(
      "SET SESSION lock_wait_timeout = 1, innodb_lock_wait_timeout = 1, time_zone = '+00:00'",
    );
    const [facts] = await database.rows<MysqlFacts>(FACTS);
    findings.push(ok('reachable', 'it answers'), ...serverFindings(facts!));
    findings.push(...replicaFindings(facts!, await isSemiSynchronous(database)));
    findings.push(...(await tableFindingsOf(database, settings)));
    findings.push(...(await measure(() => now(database), operationLimit(timeoutMs))));
  } catch (error) {
    findings.push(problem('reachable', visibleMessage(error as Error)));
  }
  connection?.destroy();
  return { subject, findings };
}

/** A connection whose statements end in time. */
class BoundedDatabase {
  constructor(
    private readonly connection: Connection,
    private readonly timeoutMs: number,
  ) {}

  async rows<T extends object>(sql: string): Promise<readonly T[]> {
    const [rows] = await this.connection.query<(T & RowDataPacket)[]>({ sql, timeout: this.timeoutMs });
    return rows;
  }
}

function serverFindings({ version, isReadOnly, flush, hasFixedTime }: MysqlFacts): readonly Finding[] {
  const isMariadb = /mariadb/i.test(version);
  const name = `${isMariadb ? 'MariaDB' : 'MySQL'} ${version}`;
  return [
    versionFinding(name, version, isMariadb ? OLDEST_MARIADB : OLDEST_MYSQL),
    ...(!['0', 'OFF'].includes(String(isReadOnly))
      ? [
          problem(
            'role',
            'it is read-only, yet grants locks to privileged users: give the address of the primary, and take SUPER and READ_ONLY ADMIN from this user',
          ),
        ]
      : []),
    // MariaDB's 3 flushes twice.
    flush === 1 || (isMariadb && flush === 3)
      ? ok('persistence', 'every grant is on disk before it is confirmed')
      : problem(
          'persistence',
          `innodb_flush_log_at_trx_commit is ${flush}: a crash may lose the grants of the last second. Set it to 1`,
        ),
    ...(hasFixedTime === 1
      ? [
          problem(
            'clock',
            'it was started with --sysdate-is-now: a claim that waits is granted too late. Start it without',
          ),
        ]
      : []),
  ];
}

function replicaFindings({ replicas }: MysqlFacts, isSemiSynchronous: boolean): readonly Finding[] {
  if (replicas === 0) return [];
  return isSemiSynchronous
    ? [
        ok(
          'replicas',
          `${countText(replicas, 'replica')}; a grant waits for one (semi-synchronous replication)`,
        ),
      ]
    : [
        problem(
          'replicas',
          `it has ${countText(replicas, 'replica')}, and no grant waits for one: a failover may grant a held lock again. Use semi-synchronous replication`,
        ),
      ];
}

/** MariaDB and MySQL name it differently, and MySQL has it only with the plug-in. */
async function isSemiSynchronous(database: BoundedDatabase): Promise<boolean> {
  const rows = await database.rows<{ Value: string }>(
    "SHOW GLOBAL STATUS WHERE Variable_name IN ('Rpl_semi_sync_master_status', 'Rpl_semi_sync_source_status')",
  );
  return rows.some(({ Value }) => Value === 'ON');
}

async function tableFindingsOf(
  database: BoundedDatabase,
  settings: BackendSettings,
): Promise<readonly Finding[]> {
  const states: TableState[] = [];
  const failures = new Set<string>();
  for (const table of neededTables(settings, (name) => mysql.escapeId(name)))
    states.push({ ...table, lacking: await lackingRights(database, table, failures) });
  if (failures.size === 0) return tableFindings(states);
  return [note('tables', `could not be checked: ${visible([...failures].join('; '))}`)];
}

/**
 * The rights that are missing; undefined where there is no such table.
 * @param failures receives the errors that say nothing about rights
 */
async function lackingRights(
  database: BoundedDatabase,
  table: NeededTable,
  failures: Set<string>,
): Promise<readonly string[] | undefined> {
  const lacking: string[] = [];
  for (const [right, statement] of Object.entries(TRIALS)) {
    try {
      await database.rows(statement(table));
    } catch (error) {
      const { code, message } = error as Error & { readonly code?: string };
      if (code === NO_SUCH_TABLE) return undefined;
      if (DENIED.has(code ?? '')) lacking.push(right);
      else if (!HARMLESS.has(code ?? '')) failures.add(message);
    }
  }
  return lacking;
}

async function now(database: BoundedDatabase): Promise<number> {
  const [row] = await database.rows<{ seconds: string }>('SELECT UNIX_TIMESTAMP(SYSDATE(6)) AS seconds');
  return Number(row!.seconds) * 1_000;
}
