import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { postgres } from 'bedrock-lock/postgres';
import { granted } from 'bedrock-testkit';
import { PostgresFixture } from './fixture.js';
import { badOptionsOfDatabase, refusesBadOptions } from '../../../../support/bad-options.js';
import { thrownBy } from '../../../../support/thrown-by.js';

const fixture = new PostgresFixture();

beforeAll(() => fixture.start());
afterEach(() => fixture.clean());
afterAll(() => fixture.stop());

const url = 'postgres://127.0.0.1:1/postgres';

describe('bad options', () => {
  refusesBadOptions(postgres, [
    ...badOptionsOfDatabase({ url }),
    ['url', {}],
    ['url', { label: 'nowhere' }],
    ['url', ''],
    ['url', 'http://127.0.0.1'],
    ['url', '127.0.0.1:5432'],
    ['url', { url: 7 }],
    ['connection', { connection: 'x' }],
    ['connection', { connection: null }],
    ['connection.statement_timeout', { connection: { statement_timeout: 5 } }],
    ['connection.query_timeout', { url, connection: { query_timeout: 5 } }],
    ['connection.connectionString', { url, connection: { connectionString: url } }],
    ['schema', { url, schema: 'a.b' }],
    ['schema', { url, schema: 7 }],
    ['schema', { url, schema: '' }],
    ['throughPooler', { url, throughPooler: 'yes' }],
  ]);

  it('never show a password', () => {
    expect(thrownBy(() => postgres('http://user:secret@host')).message).not.toContain('secret');
  });
});

describe('good options', () => {
  it('open no connection before the first call', async () => {
    let connections = 0;
    const server = createServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const backend = postgres({ url: `postgres://127.0.0.1:${port}/x`, operationTimeoutMs: 5_000 });
    await new Promise((resolve) => setImmediate(resolve));
    expect(connections).toBe(0);
    await expect(backend.ping()).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE', executed: 'no' });
    expect(connections).toBeGreaterThan(0);
    await backend.close();
    server.close();
  });

  it('put the tables in the schema and under the names that they state', async () => {
    await fixture.observer.query('CREATE SCHEMA IF NOT EXISTS elsewhere');
    const backend = fixture.unready({ schema: 'elsewhere', tablePrefix: 'My_' });
    await backend.ensureSchema();
    await backend.ensureSchema();
    await granted(backend, 'there');
    const { rows } = await fixture.observer.query('SELECT resource FROM elsewhere."My_locks"');
    expect(rows).toEqual([{ resource: 'there' }]);
    expect(await fixture.row('there')).toBeUndefined();
  });

  it('say which tables are missing when there are none', async () => {
    const backend = fixture.unready({ tablePrefix: 'none_', operationTimeoutMs: 100 });
    await expect(backend.ready()).rejects.toMatchObject({
      executed: 'no',
      message: expect.stringMatching(/none_locks.*ensureSchema\(\)/s) as string,
    });
  });

  it('serve through a pooler: nothing is kept on a connection, and nothing is heard', async () => {
    const backend = await fixture.backend({ throughPooler: true, connections: 1 });
    expect(backend.traits.push).toBe(false);
    await granted(backend, 'pooled');
    const { rows } = await fixture.observer.query<{ query: string }>(
      "SELECT query FROM pg_stat_activity WHERE application_name = 'bedrock'",
    );
    expect(rows).toHaveLength(1);
    expect(rows[0]!.query).not.toContain('set_config');
  });
});

it('makes its tables also where twenty processes begin at once', async () => {
  for (let round = 1; round <= 3; round += 1) {
    const starters = Array.from({ length: 20 }, () => fixture.unready({ tablePrefix: `crowd_${round}_` }));
    await Promise.all(starters.map((backend) => backend.ensureSchema()));
    await Promise.all(starters.map((backend) => backend.close()));
  }
});

it('ships a migration that makes the very tables that ensureSchema() makes', async () => {
  const shape = async () => {
    const { rows } = await fixture.observer.query(
      `SELECT c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, c.reloptions,
         pg_get_expr(d.adbin, d.adrelid) AS fallback, a.attcollation
       FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
       LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
       WHERE c.relname LIKE 'bedrock%' ORDER BY c.relname, a.attname`,
    );
    return rows as unknown[];
  };
  const before = await shape();
  expect(before.length).toBeGreaterThan(15);
  await fixture.observer.query('DROP TABLE bedrock_locks, bedrock_processes, bedrock_records');
  const file = new URL('../../../../../libs/lock/src/backends/sql/postgres/migration.sql', import.meta.url);
  await fixture.observer.query(readFileSync(file, 'utf8'));
  expect(await shape()).toEqual(before);
});
