import {
  startEtcd,
  startMariadb,
  startPostgres,
  startRedis,
  startZooKeeper,
  type RunningServer,
} from 'bedrock-servers';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Takes and gives back one lock again and again, and tells how many bytes each time has left behind. */
const PROGRAM = `
  import { Bedrock } from 'bedrock-lock';
  const [engine, where] = process.argv.slice(1);
  const { [engine]: backendOf } = await import('bedrock-lock/' + engine);
  const backend = backendOf(where === undefined ? undefined : JSON.parse(where));
  await backend.ensureSchema?.();
  const bedrock = new Bedrock({ backend });
  const lock = bedrock.mutex('leaks:' + process.pid);
  const cycles = async (count) => {
    for (let i = 0; i < count; i++) await (await lock.acquire()).release();
  };
  const heap = () => {
    for (let i = 0; i < 3; i++) gc();
    return process.memoryUsage().heapUsed;
  };
  // Until the code is compiled, and everything that is kept for a while has reached its size.
  await cycles(1_500);
  const before = heap();
  await cycles(2_500);
  console.log((heap() - before) / 2_500);
  await bedrock.close();
`;

/**
 * What compiling and measuring may leave, bytes. One object with a field takes some 60; the results of a request that is kept,
 * more than a thousand.
 */
const MOST_BYTES = 400;

describe('a lock that is taken and given back leaves nothing in memory', () => {
  const servers: RunningServer[] = [];
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.stop()));
  });

  const started = async (starting: Promise<RunningServer>): Promise<RunningServer> => {
    const server = await starting;
    servers.push(server);
    return server;
  };
  const ENGINES: readonly [engine: string, where: () => Promise<object | undefined>][] = [
    ['memory', async () => undefined],
    ['redis', async () => ({ url: (await started(startRedis())).url })],
    ['zookeeper', async () => ({ connect: new URL((await started(startZooKeeper())).url).host })],
    ['etcd', async () => ({ hosts: (await started(startEtcd())).url })],
    ['mysql', async () => ({ url: (await started(startMariadb())).url })],
    ['postgres', async () => ({ url: (await started(startPostgres())).url })],
  ];

  it.each(ENGINES)(
    'on %s',
    async (engine, where) => {
      const options = await where();
      const args = options === undefined ? [] : [JSON.stringify(options)];
      const { stdout } = await run(process.execPath, [
        ...['--expose-gc', '--input-type=module', '--eval', PROGRAM, engine],
        ...args,
      ]);
      expect(Number(stdout)).toBeLessThan(MOST_BYTES);
    },
    120_000,
  );
});
