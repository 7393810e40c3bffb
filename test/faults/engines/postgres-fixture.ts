import { postgres } from 'bedrock-lock/postgres';
import { startPostgres } from 'bedrock-servers';
import { Client } from 'pg';
import { MAX_CONNECTIONS, type SqlEngineFixture, type UserConnection } from './engine-fixture.js';
import { OPERATION_MS } from './settings.js';

export async function postgresFixture(): Promise<SqlEngineFixture> {
  const server = await startPostgres({
    settings: [`max_connections=${MAX_CONNECTIONS}`, 'deadlock_timeout=20ms'],
  });
  const { url } = server;
  const maker = postgres({ url, operationTimeoutMs: 30_000 });
  await maker.ensureSchema();
  await maker.close();

  const open = async (): Promise<Client> => {
    const client = new Client({ connectionString: url });
    client.on('error', () => undefined);
    await client.connect();
    return client;
  };
  const connect = async (): Promise<UserConnection> => {
    const client = await open();
    return { query: (text) => client.query(text), end: () => client.end() };
  };
  const rowsOf = async (text: string, values: readonly string[] = []): Promise<Record<string, unknown>[]> => {
    const client = await open();
    try {
      return (await client.query<Record<string, unknown>>(text, [...values])).rows;
    } finally {
      await client.end();
    }
  };
  return {
    engine: 'postgres',
    target: async () => server,
    optionsFor: (port) => ({ url: url.replace(`:${server.port}`, `:${port}`) }),
    newBackend: () => postgres({ url, operationTimeoutMs: OPERATION_MS }),
    connect,
    lockAll: ['BEGIN', 'LOCK TABLE bedrock_locks, bedrock_processes IN ACCESS EXCLUSIVE MODE'],
    lockRow: (resource) => `SELECT 1 FROM bedrock_locks WHERE resource = '${resource}' FOR UPDATE`,
    remaining: async (resource) => {
      const locks = await rowsOf('SELECT * FROM bedrock_locks WHERE strpos(resource::text, $1) > 0', [
        resource,
      ]);
      const processes = await rowsOf('SELECT * FROM bedrock_processes');
      return [...locks, ...processes].map((row) => `row ${JSON.stringify(row)}`);
    },
    deadLocks: async () => {
      const [row] = await rowsOf('SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()');
      return Number(row!['deadlocks']);
    },
    stop: () => server.stop(),
  };
}
