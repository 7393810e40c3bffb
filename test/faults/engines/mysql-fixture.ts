import { mysql } from 'bedrock-lock/mysql';
import { startMariadb } from 'bedrock-servers';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { MAX_CONNECTIONS, type SqlEngineFixture, type UserConnection } from './engine-fixture.js';
import { OPERATION_MS } from './settings.js';

/** Grants survive a crash of the server. */
const ARGS = ['--innodb-flush-log-at-trx-commit=1', `--max-connections=${MAX_CONNECTIONS}`];

export async function mysqlFixture(): Promise<SqlEngineFixture> {
  const server = await startMariadb({ args: ARGS });
  const { url } = server;
  const maker = mysql({ url, operationTimeoutMs: 30_000 });
  await maker.ensureSchema();
  await maker.close();

  const connect = async (): Promise<UserConnection> => {
    const connection = await createConnection({ uri: url });
    connection.on('error', () => undefined);
    return { query: (text) => connection.query(text), end: () => connection.end() };
  };
  const rowsOf = async (sql: string, values: readonly string[] = []): Promise<RowDataPacket[]> => {
    const connection = await createConnection({ uri: url });
    try {
      const [rows] = await connection.query<RowDataPacket[]>(sql, [...values]);
      return rows;
    } finally {
      connection.destroy();
    }
  };
  return {
    engine: 'mysql',
    target: async () => server,
    optionsFor: (port) => ({ url: url.replace(`:${server.port}/`, `:${port}/`) }),
    newBackend: () => mysql({ url, operationTimeoutMs: OPERATION_MS }),
    connect,
    lockAll: ['LOCK TABLES bedrock_locks WRITE, bedrock_processes WRITE'],
    lockRow: (resource) => `SELECT 1 FROM bedrock_locks WHERE resource = '${resource}' FOR UPDATE`,
    remaining: async (resource) => {
      const locks = await rowsOf('SELECT * FROM bedrock_locks WHERE INSTR(resource, ?) > 0', [resource]);
      const processes = await rowsOf('SELECT * FROM bedrock_processes');
      return [...locks, ...processes].map((row) => `row ${JSON.stringify(row, withText)}`);
    },
    deadLocks: async () => {
      const [row] = await rowsOf("SHOW GLOBAL STATUS LIKE 'Innodb_deadlocks'");
      return Number(row!['Value']);
    },
    stop: () => server.stop(),
  };
}

/** Columns of bytes as text. */
function withText(_key: string, value: unknown): unknown {
  const { type, data } = (value ?? {}) as { type?: unknown; data?: number[] };
  return type === 'Buffer' ? Buffer.from(data!).toString() : value;
}
