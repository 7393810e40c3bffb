import type { Socket } from 'node:net';
import pg from 'pg';
import type { BackendSettings } from '../../input/open-backend.js';
import { visibleMessage } from '../../output/visible.js';
import { countText } from '../findings/count-text.js';
import { note, ok, problem, type Examination, type Finding } from '../findings/finding.js';
import { measure, operationLimit } from '../findings/measure.js';
import { versionFinding } from '../findings/version-finding.js';
import { tableFindings, type TableState } from './table-findings.js';
import { neededTables, ROW_RIGHTS } from './table-names.js';

const OLDEST = [12] as const;
const DEFAULT_PORT = 5_432;
const DENIED = '42501';
/** Transactions that each of two connections makes to find out whether they share one of the server. */
const TURNS = 4;

/** Settings and state of the server, in one row. */
interface PostgresFacts {
  readonly version: string;
  readonly database: string;
  readonly isStandby: boolean;
  readonly isReadOnly: boolean;
  readonly fsync: string;
  readonly standbys: number;
  /** Whom a commit waits for; '' for none. */
  readonly synchronous: string;
}

const FACTS = `
  SELECT current_setting('server_version') AS version,
    current_database() AS database, pg_is_in_recovery() AS "isStandby",
    current_setting('default_transaction_read_only') = 'on' AS "isReadOnly", current_setting('fsync') AS fsync,
    (SELECT count(*)::int FROM pg_stat_replication r LEFT JOIN pg_replication_slots s ON s.active_pid = r.pid
      WHERE coalesce(s.slot_type, 'physical') = 'physical' AND r.state IS DISTINCT FROM 'backup') AS standbys,
    CASE current_setting('synchronous_commit') WHEN 'local' THEN ''
      ELSE current_setting('synchronous_standby_names') END AS synchronous`;

export async function examinePostgres(
  url: string,
  settings: BackendSettings,
  timeoutMs: number,
): Promise<Examination> {
  const subject = addressIn(url);
  const clients: pg.Client[] = [];
  const findings: Finding[] = [];
  try {
    clients.push(...[1, 2].map(() => newClient(url, timeoutMs)));
    await Promise.all(clients.map((one) => one.connect()));
    const [client] = clients as [pg.Client];
    const { rows } = await client.query<PostgresFacts>(FACTS);
    findings.push(ok('reachable', `it answers, with database ${rows[0]!.database}`));
    findings.push(...serverFindings(rows[0]!));
    findings.push(await checkPooler(clients, settings.throughPooler === true));
    findings.push(...tableFindings(await tableStates(client, settings)));
    findings.push(...(await measure(() => now(client), operationLimit(timeoutMs))));
  } catch (error) {
    findings.push(problem('reachable', visibleMessage(error as Error)));
  }
  await Promise.all(clients.map((one) => end(one, timeoutMs)));
  return { subject, findings };
}

/** @throws Error for a URL that names files which are not there, and others */
function newClient(url: string, timeoutMs: number): pg.Client {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
  });
  // A connection that ends is noticed by the next statement.
  client.on('error', () => undefined);
  return client;
}

/** pg itself waits until the server closes the connection. */
async function end(client: pg.Client, timeoutMs: number): Promise<void> {
  const { connection } = client as unknown as { readonly connection: { readonly stream: Socket } };
  const timer = setTimeout(() => connection.stream.destroy(), timeoutMs);
  await client.end().catch(() => undefined);
  clearTimeout(timer);
}

/** Host and port, without user and password. */
function addressIn(url: string): string {
  const { hostname = '', port = '' } = URL.canParse(url) ? new URL(url) : {};
  return `${hostname || 'localhost'}:${port || DEFAULT_PORT}`;
}

function serverFindings(facts: PostgresFacts): readonly Finding[] {
  const { version, isStandby, isReadOnly, fsync, standbys, synchronous } = facts;
  const findings = [
    versionFinding(`PostgreSQL ${version}`, version, OLDEST),
    fsync === 'on'
      ? ok('persistence', 'every grant is on disk before it is confirmed')
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
            `it has ${countText(standbys, 'standby')}, and no grant waits for one: a failover may grant a held lock again. Set synchronous_standby_names, and synchronous_commit = on`,
          )
        : ok('replicas', `a grant waits for a standby (${synchronous})`),
    );
  return findings;
}

/** Two connections that get the same process of the server share it: a pooler in transaction mode. */
async function checkPooler([one, other]: readonly pg.Client[], isDeclared: boolean): Promise<Finding> {
  const pids = [new Set<number>(), new Set<number>()] as const;
  for (let i = 0; i < TURNS; i += 1) {
    pids[0].add(await serverProcess(one!));
    pids[1].add(await serverProcess(other!));
  }
  const isShared = [...pids[0]].some((pid) => pids[1].has(pid)) || pids[0].size > 1 || pids[1].size > 1;
  if (isShared === isDeclared)
    return ok('pooler', isShared ? 'in transaction mode, as throughPooler says' : 'none in transaction mode');
  return isShared
    ? problem(
        'pooler',
        'a pooler in transaction mode is in front of the server: set throughPooler: true in the applications, and give --through-pooler',
      )
    : note(
        'pooler',
        'no pooler in transaction mode was seen, so waiters poll without need: leave out throughPooler and --through-pooler',
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
    states.push({ ...table, lacking: await lackingRights(client, statement, table.name) });
  }
  return states;
}

/** The rights that are missing; undefined where there is no such table. */
async function lackingRights(
  client: pg.Client,
  statement: string,
  name: string,
): Promise<readonly string[] | undefined> {
  try {
    const { rows } = await client.query<Record<string, boolean>>(statement, [name]);
    const [row] = rows;
    return row && ROW_RIGHTS.filter((right) => !row[right]);
  } catch (error) {
    if ((error as { code?: unknown }).code === DENIED) return ['USAGE of its schema'];
    throw error;
  }
}
