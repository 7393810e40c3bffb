import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startRedis, type RunningServer } from 'bedrock-servers';
import { execFile } from 'node:child_process';
import { createServer, type Server, type Socket } from 'node:net';
import { promisify } from 'node:util';
import { LIBRARIES } from './libraries.mjs';

/** Opens backends in the states that their servers lead to, closes them, and tells how long it lived after that. */
const PROGRAM = `
  import { backendOf } from ${JSON.stringify(new URL('libraries.mjs', import.meta.url).href)};
  const [library, ...urls] = process.argv.slice(1);
  const backends = urls.map((url) => backendOf(library, url));
  const [served, ...others] = backends.map((backend) => backend.ready());
  for (const other of others) other.catch(() => undefined);
  await served;
  await Promise.all(backends.map((backend) => backend.close()));
  const closedAt = performance.now();
  process.on('exit', () => console.log(performance.now() - closedAt));
`;

let server: RunningServer;
let silent: Server;
const sockets = new Set<Socket>();

beforeAll(async () => {
  server = await startRedis();
  silent = createServer((socket) => sockets.add(socket.on('error', () => undefined)));
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  silent.close();
  await server.stop();
});

it.each(LIBRARIES)(
  'a process ends after close() through %s, whether it is served, greets, connects or waits to do so',
  async (library) => {
    const { port } = silent.address() as { port: number };
    const urls = [
      server.url,
      `redis://127.0.0.1:${port}`,
      `rediss://127.0.0.1:${port}`,
      'redis://127.0.0.1:1',
    ];
    const program = ['--input-type=module', '--eval', PROGRAM, library, ...urls];
    const { stdout } = await promisify(execFile)(process.execPath, program, { timeout: 15_000 });
    expect(Number(stdout)).toBeLessThan(300);
  },
);
