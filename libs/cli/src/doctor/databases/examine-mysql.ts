import mysql, { type Connection, type RowDataPacket } from 'mysql2/promise';
import type { BackendSettings } from '../../input/open-backend.js';
import { visibleMessage } from '../../output/visible.js';
import { ok, problem, type Examination, type Finding } from '../findings/finding.js';
import { measure, operationLimit } from '../findings/measure.js';
import { tableFindings, type TableState } from './table-findings.js';
import { neededTables, type NeededTable } from './table-names.js';

/** Oldest versions: of MariaDB, and of MySQL. */
const OLDEST_MARIADB = [10, 6] as const;
const OLDEST_MYSQL = [8, 0] as const;
const NO_SUCH_TABLE = 'ER_NO_SUCH_TABLE';
const DENIED = new Set(['ER_TABLEACCESS_DENIED_ERROR', 'ER_COLUMNACCESS_DENIED_ERROR']);

/** A statement that needs a right and changes nothing. */
const TRIALS: Readonly<Record<string, (table: string) => string>> = {
  SELECT: (table) => `SELECT 1 FROM ${table} WHERE FALSE`,
  INSERT: (table) => `INSERT INTO ${table} (SELECT * FROM ${table} WHERE FALSE)`,
  UPDATE: (table) => `UPDATE ${table} SET resource = resource WHERE FALSE`,
  DELETE: (table) => `DELETE FROM ${table} WHERE FALSE`,
};
/** The table of processes has no resource. */
const UPDATE_PROCESSES = (table: string): string => `UPDATE ${table} SET id = id WHERE FALSE`;

interface MysqlFacts {
  readonly version: string;
  readonly isReadOnly: number;
  readonly flush: number;
  readonly hasFixedTime: number;
  readonly replicas: number;
}

/** Sees the threads of others only with the right PROCESS. */
const FACTS = `
  SELECT VERSION() AS version, @@GLOBAL.read_only AS isReadOnly, @@GLOBAL.innodb_flush_log_at_trx_commit AS flush,
    (SYSDATE(6) = CONCAT(SYSDATE(6), IF(SLEEP(0.01), '', ''))) AS hasFixedTime,
    (SELECT COUNT(*) FROM information_schema.processlist WHERE command LIKE 'Binlog Dump%') AS replicas`;

export async function examineMysql(
  url: string,
  settings: BackendSettings,
  timeoutMs: number,
): Promise<Examination> {
  const { hostname, port } = new URL(url);
  const subject = `${hostname}:${port || 3_306}`;
  let connection: Connection | undefined;
  try {
    connection = await mysql.createConnection({
      uri: url.replace(/^mariadb:/, 'mysql:'),
      connectTimeout: timeoutMs,
      timezone: 'Z',
    });
    const reached = connection;
    const [facts] = await rowsOf<MysqlFacts>(reached, FACTS);
    const findings = [
      ok('reachable', 'it answers'),
      ...serverFindings(facts!),
      ...replicaFindings(facts!, await isSemiSynchronous(reached)),
      ...tableFindings(await tableStates(reached, settings)),
      ...(await measure(() => now(reached), operationLimit(timeoutMs))),
    ];
    return { subject, findings };
  } catch (error) {
    return { subject, findings: [problem('reachable', visibleMessage(error as Error))] };
  } finally {
    connection?.destroy();
  }
}

function serverFindings({ version, isReadOnly, flush, hasFixedTime }: MysqlFacts): readonly Finding[] {
  const isMariadb = /mariadb/i.test(version);
  const [major = 0, minor = 0] = version.split(/[.-]/).map(Number);
  const [oldestMajor, oldestMinor] = isMariadb ? OLDEST_MARIADB : OLDEST_MYSQL;
  const name = `${isMariadb ? 'MariaDB' : 'MySQL'} ${version}`;
  const isNewEnough = major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
  return [
    isNewEnough
      ? ok('version', name)
      : problem('version', `${name}: ${oldestMajor}.${oldestMinor} or newer is needed`),
    ...(isReadOnly === 1
      ? [problem('role', 'it is read-only, so no lock can be taken: give the address of the primary')]
      : []),
    flush === 1
      ? ok('persistence', 'every grant is on its disk')
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
    ? [ok('replicas', `${replicas}, and a grant waits for one (semi-synchronous replication)`)]
    : [
        problem(
          'replicas',
          `${replicas} replicas follow it, and no grant waits for them: a failover may grant a held lock again. Use semi-synchronous replication`,
        ),
      ];
}

/** MariaDB and MySQL name it differently, and MySQL has it only with the plug-in. */
async function isSemiSynchronous(connection: Connection): Promise<boolean> {
  const rows = await rowsOf<{ Value: string }>(
    connection,
    "SHOW GLOBAL STATUS WHERE Variable_name IN ('Rpl_semi_sync_master_status', 'Rpl_semi_sync_source_status')",
  );
  return rows.some(({ Value }) => Value === 'ON');
}

async function tableStates(
  connection: Connection,
  settings: BackendSettings,
): Promise<readonly TableState[]> {
  const tables = neededTables(settings, (name) => mysql.escapeId(name));
  const states: TableState[] = [];
  for (const table of tables) states.push({ ...table, lacking: await lackingRights(connection, table) });
  return states;
}

/** The rights that are missing; undefined where there is no such table. */
async function lackingRights(
  connection: Connection,
  { name }: NeededTable,
): Promise<readonly string[] | undefined> {
  const lacking: string[] = [];
  for (const [right, statement] of Object.entries(TRIALS)) {
    const makes = right === 'UPDATE' && name.endsWith('processes`') ? UPDATE_PROCESSES : statement;
    const code = await codeOf(connection.query(makes(name)));
    if (code === NO_SUCH_TABLE) return undefined;
    if (DENIED.has(code)) lacking.push(right);
  }
  return lacking;
}

/** The code of the error of a statement; '' without one. */
async function codeOf(answer: Promise<unknown>): Promise<string> {
  try {
    await answer;
    return '';
  } catch (error) {
    return String((error as { code?: unknown }).code);
  }
}

async function now(connection: Connection): Promise<number> {
  const [row] = await rowsOf<{ seconds: string }>(connection, 'SELECT UNIX_TIMESTAMP(SYSDATE(6)) AS seconds');
  return Number(row!.seconds) * 1_000;
}

async function rowsOf<T extends object>(connection: Connection, statement: string): Promise<readonly T[]> {
  const [rows] = await connection.query<(T & RowDataPacket)[]>(statement);
  return rows;
}
