import pg from 'pg';
import type { BackendSettings } from '../../input/open-backend.js';
import { visibleMessage } from '../../output/visible.js';
import { note, ok, problem, type Examination, type Finding } from '../findings/finding.js';
import { measure, operationLimit } from '../findings/measure.js';
import { tableFindings, type TableState } from './table-findings.js';
import { neededTables, ROW_RIGHTS } from './table-names.js';

const OLDEST = 120_000;
/** Transactions that each of two connections makes to find out whether they share one of the server. */
const TURNS = 4;

/** Settings and state of the server, in one row. */
interface PostgresFacts {
  readonly version: string;
  readonly number: string;
  readonly database: string;
  readonly isStandby: boolean;
  readonly isReadOnly: boolean;
  readonly fsync: string;
  readonly standbys: number;
  readonly synchronous: string;
}

const FACTS = `
  SELECT current_setting('server_version') AS version, current_setting('server_version_num') AS number,
    current_database() AS database, pg_is_in_recovery() AS "isStandby",
    current_setting('default_transaction_read_only') = 'on' AS "isReadOnly", current_setting('fsync') AS fsync,
    (SELECT count(*)::int FROM pg_stat_replication) AS standbys,
    current_setting('synchronous_standby_names') AS synchronous`;

export async function examinePostgres(
  url: string,
  settings: BackendSettings,
  timeoutMs: number,
): Promise<Examination> {
  const clients = [1, 2].map(
    () =>
      new pg.Client({ connectionString: url, connectionTimeoutMillis: timeoutMs, query_timeout: timeoutMs }),
  ) as [pg.Client, pg.Client];
  // A connection that ends is noticed by the next statement.
  for (const client of clients) client.on('error', () => undefined);
  const [client] = clients;
  const subject = `${client.host}:${client.port}`;
  try {
    await Promise.all(clients.map((one) => one.connect()));
    const { rows } = await client.query<PostgresFacts>(FACTS);
    const findings = [
      ok('reachable', `it answers, with database ${rows[0]!.database}`),
      ...serverFindings(rows[0]!),
      await checkPooler(clients, settings.throughPooler === true),
      ...tableFindings(await tableStates(client, settings)),
      ...(await measure(() => now(client), operationLimit(timeoutMs))),
    ];
    return { subject, findings };
  } catch (error) {
    return { subject, findings: [problem('reachable', visibleMessage(error as Error))] };
  } finally {
    await Promise.all(clients.map((one) => one.end().catch(() => undefined)));
  }
}

function serverFindings(facts: PostgresFacts): readonly Finding[] {
  const { version, number, isStandby, isReadOnly, fsync, standbys, synchronous } = facts;
  const findings = [
    Number(number) >= OLDEST
      ? ok('version', `PostgreSQL ${version}`)
      : problem('version', `PostgreSQL ${version}: 12 or newer is needed`),
    fsync === 'on'
      ? ok('persistence', 'every grant is on its disk')
      : problem('persistence', 'fsync is off: a crash of the machine may lose grants, or the whole database'),
  ];
  if (isStandby || isReadOnly)
    findings.push(
      problem('role', 'it is read-only, so no lock can be taken: give an address that follows the primary'),
    );
  if (standbys > 0)
    findings.push(
      synchronous === ''
        ? problem(
            'replicas',
            `${standbys} standbys follow it, none of them synchronous: a failover may grant a held lock again. Set synchronous_standby_names`,
          )
        : ok('replicas', `a grant waits for a standby (${synchronous})`),
    );
  return findings;
}

/** Two connections that get the same process of the server share it: a pooler in transaction mode. */
async function checkPooler(
  [one, other]: readonly [pg.Client, pg.Client],
  isDeclared: boolean,
): Promise<Finding> {
  const pids = [new Set<number>(), new Set<number>()] as const;
  for (let i = 0; i < TURNS; i += 1) {
    pids[0].add(await serverProcess(one));
    pids[1].add(await serverProcess(other));
  }
  const isShared = [...pids[0]].some((pid) => pids[1].has(pid)) || pids[0].size > 1 || pids[1].size > 1;
  if (isShared === isDeclared)
    return ok('pooler', isShared ? 'in transaction mode, as throughPooler says' : 'none in transaction mode');
  return isShared
    ? problem(
        'pooler',
        'a pooler in transaction mode is between: set throughPooler: true in the applications, and give --through-pooler',
      )
    : note(
        'pooler',
        'none was seen, so waiters are slower than they have to be: is --through-pooler needed?',
      );
}

async function serverProcess(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return rows[0]!.pid;
}

async function now(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ ms: number }>(
    'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS ms',
  );
  return rows[0]!.ms;
}

async function tableStates(client: pg.Client, settings: BackendSettings): Promise<readonly TableState[]> {
  const columns = ROW_RIGHTS.map((right) => `has_table_privilege(oid, '${right}') AS "${right}"`);
  const statement = `SELECT ${columns.join(', ')} FROM pg_class WHERE oid = to_regclass($1)`;
  const states: TableState[] = [];
  for (const table of neededTables(settings, (name) => pg.escapeIdentifier(name))) {
    const { rows } = await client.query<Record<string, boolean>>(statement, [table.name]);
    const [row] = rows;
    states.push({ ...table, lacking: row && ROW_RIGHTS.filter((right) => !row[right]) });
  }
  return states;
}
