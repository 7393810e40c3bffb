import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startMariadb, startPgbouncer, startPostgres, type RunningServer } from 'bedrock-servers';
import { eventually } from 'bedrock-testkit';
import { createConnection, type Connection } from 'mysql2/promise';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { bedrock } from '../bedrock-command.js';
import { Findings, USUAL } from './findings.js';

const ROW_RIGHTS = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'];

/** Runs a program that follows a server as a replica does, while `act` looks. */
async function beside(program: string, args: readonly string[], act: () => Promise<void>): Promise<void> {
  const child = spawn(program, args, { stdio: 'ignore' });
  try {
    await act();
  } finally {
    child.kill('SIGKILL');
  }
}

describe('bedrock doctor on PostgreSQL', () => {
  let server: RunningServer;
  let client: pg.Client;
  let folder: string;
  const doctor = (...args: string[]): Promise<Findings> => Findings.of(['--url', server.url, ...args]);

  beforeAll(async () => {
    server = await startPostgres({ settings: ['fsync=on', 'wal_level=replica', 'max_wal_senders=4'] });
    client = new pg.Client(server.url);
    await client.connect();
    folder = mkdtempSync(join(tmpdir(), 'bedrock-doctor-'));
  }, 60_000);
  afterAll(async () => {
    await client?.end();
    await server?.stop();
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  });

  it('finds missing tables, and nothing once they are there', async () => {
    expect((await doctor(...USUAL)).problems).toEqual([
      'tables: there is no table "bedrock_locks": run the SQL of the package, or give --create-tables',
      'tables: there is no table "bedrock_processes": run the SQL of the package, or give --create-tables',
      expect.stringMatching(/^locks: no lock can be taken: /),
    ]);
    const found = await doctor('--create-tables');
    expect([found.code, found.problems, found.notes]).toEqual([0, [], []]);
    expect(found.passed('locks')).toEqual([
      'taken and released: mutex, fair mutex, reader, writer, semaphore',
    ]);
    expect(found.passed('pooler')).toEqual(['none in transaction mode']);
    const other = await doctor('--table-prefix', 'other_', ...USUAL);
    expect(other.problems[0]).toMatch(/^tables: there is no table "other_locks"/);
  });

  it('finds each right that is missing', async () => {
    await client.query("CREATE ROLE least LOGIN PASSWORD 'secret'");
    const url = `postgres://least:secret@127.0.0.1:${server.port}/postgres`;
    const tables = 'bedrock_locks, bedrock_processes, bedrock_records';
    await client.query(`GRANT SELECT, INSERT, UPDATE, DELETE ON ${tables} TO least`);
    expect((await Findings.of(['--url', url])).problems).toEqual([]);
    await client.query('CREATE SCHEMA shop');
    await Findings.of(['--url', server.url, '--schema', 'shop', '--create-tables']);
    expect((await Findings.of(['--url', url, '--schema', 'shop', ...USUAL])).problems).toContainEqual(
      'rights: missing on "shop"."bedrock_locks": USAGE of its schema',
    );
    for (const right of ROW_RIGHTS) {
      await client.query(`REVOKE ${right} ON bedrock_locks FROM least`);
      expect((await Findings.of(['--url', url, ...USUAL])).problems).toContainEqual(
        `rights: missing on "bedrock_locks": ${right}`,
      );
      await client.query(`GRANT ${right} ON bedrock_locks TO least`);
    }
    await client.query(`REVOKE INSERT, DELETE ON bedrock_records FROM least`);
    expect((await Findings.of(['--url', url])).notes).toEqual([
      'rights: missing on "bedrock_records": INSERT, DELETE; only idempotency needs them',
    ]);
  }, 60_000);

  it('finds a pooler in transaction mode', async () => {
    const [transactions, sessions] = await Promise.all([
      startPgbouncer({ port: server.port, mode: 'transaction' }),
      startPgbouncer({ port: server.port, mode: 'session' }),
    ]);
    try {
      const found = await Findings.of(['--url', transactions.url, ...USUAL]);
      expect(found.problems[0]).toMatch(/^pooler: a pooler in transaction mode is in front of the server/);
      const declared = await Findings.of(['--url', transactions.url, '--through-pooler']);
      expect([declared.code, declared.problems]).toEqual([0, []]);
      const session = await Findings.of(['--url', sessions.url]);
      expect([session.problems, session.passed('pooler')]).toEqual([[], ['none in transaction mode']]);
      expect((await Findings.of(['--url', sessions.url, '--through-pooler'])).notes).toEqual([
        expect.stringMatching(/^pooler: no pooler in transaction mode was seen/),
      ]);
    } finally {
      await Promise.all([transactions.stop(), sessions.stop()]);
    }
  }, 60_000);

  it('finds a standby that no grant waits for, and a server that only reads', async () => {
    const { rows } = await client.query<{ path: string }>(
      "SELECT setting AS path FROM pg_config WHERE name = 'BINDIR'",
    );
    const args = ['-D', folder, '-h', '127.0.0.1', '-p', String(server.port), '-U', 'postgres', '--no-loop'];
    await beside(join(rows[0]!.path, 'pg_receivewal'), args, async () => {
      await eventually('it follows', async () => {
        const { rowCount } = await client.query('SELECT 1 FROM pg_stat_replication');
        return rowCount === 1;
      });
      expect((await doctor()).problems).toEqual([
        expect.stringMatching(/^replicas: it has a standby, and no grant waits for one/),
      ]);
    });
    const waitsForIt = [...args, '--synchronous'];
    await client.query("ALTER SYSTEM SET synchronous_standby_names = '*'");
    await client.query('SELECT pg_reload_conf()');
    try {
      await beside(join(rows[0]!.path, 'pg_receivewal'), waitsForIt, async () => {
        await eventually('a grant waits for it', async () => {
          const { rowCount } = await client.query(
            "SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'",
          );
          return rowCount === 1;
        });
        const found = await doctor();
        expect(found.passed('replicas')).toEqual(['a grant waits for a standby (*)']);
      });
    } finally {
      await client.query('ALTER SYSTEM RESET synchronous_standby_names');
      await client.query('SELECT pg_reload_conf()');
    }
    const readOnly = `${server.url}?options=-c%20default_transaction_read_only%3Don`;
    const { problems } = await Findings.of(['--url', readOnly, ...USUAL]);
    expect(problems).toContainEqual(expect.stringMatching(/^role: it is read-only/));
  });

  it('finds a server that writes nothing to its disk, and one that is away', async () => {
    const careless = await startPostgres({ settings: ['fsync=off'] });
    try {
      expect((await Findings.of(['--url', careless.url, '--create-tables'])).problems).toEqual([
        expect.stringMatching(/^persistence: fsync is off/),
      ]);
    } finally {
      await careless.stop();
    }
    const gone = await bedrock(['doctor', '--url', 'postgres://ann:pss-wrd@127.0.0.1:1/shop']);
    expect(gone.code).toBe(69);
    expect(gone.stdout).toMatch(/^127.0.0.1:1\n {2}problem +reachable /);
    expect(`${gone.stdout}${gone.stderr}`).not.toContain('pss-wrd');
  }, 60_000);
});

/** A server that lets everyone in, and then says nothing. */
async function silentAfter(greeting: (socket: Socket) => void): Promise<{ port: number; stop(): void }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    greeting(socket);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

it('bedrock doctor ends where a PostgreSQL says nothing after the login', async () => {
  // Authentication is over, and it is ready for a query.
  const login = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0, 0x5a, 0, 0, 0, 5, 0x49]);
  const silent = await silentAfter((socket) => socket.once('data', () => socket.write(login)));
  try {
    const url = `postgres://ann:pss-wrd@127.0.0.1:${silent.port}/shop`;
    const { code, stdout } = await bedrock(['doctor', '--url', url, '--operation-timeout', '300ms']);
    expect([code, stdout]).toEqual([69, expect.stringMatching(/problem +reachable /)]);
  } finally {
    silent.stop();
  }
}, 15_000);

it('bedrock doctor names a file of the URL that is not there', async () => {
  const url = 'postgres://127.0.0.1:1/shop?sslmode=verify-full&sslrootcert=/nonexistent';
  const { code, stdout, stderr } = await bedrock(['doctor', '--url', url]);
  expect([code, stderr === '' ? stdout : stderr]).toEqual([69, expect.stringMatching(/nonexistent/)]);
});

describe('bedrock doctor on MariaDB', () => {
  let server: RunningServer;
  let client: Connection;
  const doctor = (...args: string[]): Promise<Findings> => Findings.of(['--url', server.url, ...args]);

  beforeAll(async () => {
    server = await startMariadb({
      args: ['--innodb-flush-log-at-trx-commit=1', '--log-bin=binlog', '--server-id=1'],
    });
    client = await createConnection(server.url);
  }, 60_000);
  afterAll(async () => {
    await client?.end();
    await server?.stop();
  });

  it('finds missing tables, and nothing once they are there', async () => {
    expect((await doctor()).problems).toEqual([
      'tables: there is no table `bedrock_locks`: run the SQL of the package, or give --create-tables',
      'tables: there is no table `bedrock_processes`: run the SQL of the package, or give --create-tables',
      expect.stringMatching(/^locks: cannot be taken: mutex, .*semaphore: /),
    ]);
    const found = await doctor('--create-tables');
    expect([found.code, found.problems, found.notes]).toEqual([0, [], []]);
    expect(found.passed('locks')).toEqual([
      'taken and released: mutex, fair mutex, reader, writer, semaphore',
    ]);
  });

  it('finds each right that is missing', async () => {
    await client.query("CREATE USER least@'%' IDENTIFIED BY 'secret'");
    const url = `mysql://least:secret@127.0.0.1:${server.port}/bedrock`;
    for (const table of ['locks', 'processes', 'records'])
      await client.query(`GRANT SELECT, INSERT, UPDATE, DELETE ON bedrock.bedrock_${table} TO least@'%'`);
    expect((await Findings.of(['--url', url])).problems).toEqual([]);
    for (const right of ROW_RIGHTS) {
      await client.query(`REVOKE ${right} ON bedrock.bedrock_processes FROM least@'%'`);
      const [finding] = (await Findings.of(['--url', url, ...USUAL])).problems;
      expect(finding).toBe(`rights: missing on \`bedrock_processes\`: ${right}`);
      await client.query(`GRANT ${right} ON bedrock.bedrock_processes TO least@'%'`);
    }
  }, 60_000);

  it('finds settings that lose grants', async () => {
    await client.query('SET GLOBAL innodb_flush_log_at_trx_commit = 2');
    expect((await doctor()).problems).toEqual([
      expect.stringMatching(/^persistence: innodb_flush_log_at_trx_commit is 2/),
    ]);
    await client.query('SET GLOBAL innodb_flush_log_at_trx_commit = 1, GLOBAL read_only = 1');
    expect((await doctor()).problems).toContainEqual(
      expect.stringMatching(/^role: it is read-only, yet grants locks to privileged users/),
    );
    await client.query('SET GLOBAL read_only = 0');
    const args = ['--read-from-remote-server', '--stop-never', '-h', '127.0.0.1', '-u', 'root'];
    await beside('mariadb-binlog', [...args, '-P', String(server.port), 'binlog.000001'], async () => {
      await eventually('it follows', async () => {
        const [rows] = await client.query('SHOW PROCESSLIST');
        return JSON.stringify(rows).includes('Binlog Dump');
      });
      expect((await doctor()).problems).toEqual([
        expect.stringMatching(/^replicas: it has a replica, and no grant waits for one/),
      ]);
    });
  }, 60_000);

  it('does not wait for a table that another session has locked', async () => {
    await client.query('LOCK TABLES bedrock_locks WRITE');
    try {
      const { notes } = await doctor('--operation-timeout', '3s');
      expect(notes).toContainEqual(
        expect.stringMatching(/^tables: could not be checked: .*[Ll]ock wait timeout/),
      );
    } finally {
      await client.query('UNLOCK TABLES');
    }
  }, 60_000);

  it('finds a time that stands still in a statement', async () => {
    const still = await startMariadb({ args: ['--sysdate-is-now', '--innodb-flush-log-at-trx-commit=1'] });
    try {
      expect((await Findings.of(['--url', still.url, '--create-tables'])).problems).toContainEqual(
        expect.stringMatching(/^clock: it was started with --sysdate-is-now/),
      );
    } finally {
      await still.stop();
    }
  }, 60_000);
});
