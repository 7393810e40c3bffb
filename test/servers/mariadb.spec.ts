import { jest } from '@jest/globals';
import { startMariadb, type RunningServer } from 'bedrock-servers';
import { createConnection, type Connection } from 'mysql2/promise';

const started: RunningServer[] = [];

async function start(...options: Parameters<typeof startMariadb>): Promise<RunningServer> {
  const server = await startMariadb(...options);
  started.push(server);
  return server;
}

async function asked(server: RunningServer, question: string): Promise<unknown> {
  const connection: Connection = await createConnection({ uri: server.url, connectTimeout: 1_000 });
  try {
    const [rows] = await connection.query({ sql: question, rowsAsArray: true, timeout: 1_000 });
    return rows;
  } finally {
    connection.destroy();
  }
}

describe('startMariadb', () => {
  // The first test of a bare machine installs the server.
  jest.setTimeout(180_000);

  afterEach(async () => {
    await Promise.all(started.splice(0).map((server) => server.stop()));
  });

  it('starts a server of its own with an empty database', async () => {
    const server = await start();
    expect(server.url).toBe(`mysql://root@127.0.0.1:${server.port}/bedrock`);
    await expect(asked(server, 'SELECT DATABASE()')).resolves.toEqual([['bedrock']]);
    await expect(asked(server, 'SHOW TABLES')).resolves.toEqual([]);
  });

  it('passes arguments on', async () => {
    const server = await start({ args: ['--max-connections=77'] });
    await expect(asked(server, 'SELECT @@max_connections')).resolves.toEqual([[77]]);
  });

  it('keeps its data over a crash and a restart on the same port', async () => {
    const server = await start({ args: ['--innodb-flush-log-at-trx-commit=1'] });
    await asked(server, 'CREATE TABLE kept (id INT PRIMARY KEY)');
    const { pid } = server;
    server.kill('SIGKILL');
    await server.restart();
    expect(server.pid).not.toBe(pid);
    await expect(asked(server, 'SHOW TABLES')).resolves.toEqual([['kept']]);
  });

  it('freezes and goes on', async () => {
    const server = await start();
    server.pause();
    await expect(asked(server, 'SELECT 1')).rejects.toMatchObject({ code: 'ETIMEDOUT' });
    server.resume();
    await expect(asked(server, 'SELECT 1')).resolves.toEqual([[1]]);
  });
});
