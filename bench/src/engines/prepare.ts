import type { Backend } from 'bedrock-lock';

/** The table of the hand-made lock: it contains only the data of a lease. */
export const RAW_TABLE = 'bench_locks';

/** Creates the tables of Bedrock and of the raw rows. */
export async function preparePostgres(url: string): Promise<void> {
  const [{ postgres }, { default: pg }] = await Promise.all([import('bedrock-lock/postgres'), import('pg')]);
  await withSchema(postgres(url));
  const client = new pg.Client(url);
  await client.connect();
  // Half of each page stays free, as in Bedrock's own tables.
  await client.query(
    `CREATE TABLE IF NOT EXISTS ${RAW_TABLE} (resource text PRIMARY KEY, holder text NOT NULL, until_us bigint NOT NULL) WITH (fillfactor = 50)`,
  );
  await client.end();
}

export async function prepareMysql(url: string): Promise<void> {
  const [{ mysql }, { createConnection }] = await Promise.all([
    import('bedrock-lock/mysql'),
    import('mysql2/promise'),
  ]);
  await withSchema(mysql(url));
  const client = await createConnection(url);
  await client.query(
    `CREATE TABLE IF NOT EXISTS ${RAW_TABLE} (resource VARBINARY(255) PRIMARY KEY, holder VARCHAR(64) NOT NULL, until_us BIGINT NOT NULL) ENGINE = InnoDB`,
  );
  await client.end();
}

async function withSchema(backend: Backend & { ensureSchema(): Promise<void> }): Promise<void> {
  try {
    await backend.ensureSchema();
  } finally {
    await backend.close();
  }
}
