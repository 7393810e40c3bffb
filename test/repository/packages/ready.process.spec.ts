import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Nothing listens on port 9. */
const BACKENDS = [
  ['mysql', "mysql({ url: 'mysql://root@127.0.0.1:9/x', operationTimeoutMs: 100 })"],
  ['mysqlSessions', "mysqlSessions({ url: 'mysql://root@127.0.0.1:9/x', operationTimeoutMs: 100 })", 'mysql'],
  ['postgres', "postgres({ url: 'postgres://postgres@127.0.0.1:9/x', operationTimeoutMs: 100 })"],
  ['redis', "redis({ url: 'redis://127.0.0.1:9', operationTimeoutMs: 100 })"],
  ['etcd', "etcd({ hosts: 'http://127.0.0.1:9', operationTimeoutMs: 100 })"],
  ['zookeeper', "zookeeper({ connect: '127.0.0.1:9', operationTimeoutMs: 100 })"],
] as const;

it.each(BACKENDS)(
  'ready() of %s keeps the process alive until it says that the server does not answer',
  async (name, backend, entry: string = name) => {
    const stdout = await run(`
      import { ${name} } from 'bedrock-lock/${entry}';
      const backend = ${backend};
      await backend.ready().catch(({ code }) => console.log(code));
      await backend.close();`);
    expect(stdout).toBe('BACKEND_UNAVAILABLE\n');
  },
  60_000,
);

it.each(BACKENDS)(
  '%s lets the process end when it is closed while it connects',
  async (name, backend, entry: string = name) => {
    const stdout = await run(`
      import { ${name} } from 'bedrock-lock/${entry}';
      const backend = ${backend};
      const ready = backend.ready().catch(({ code }) => code);
      // Its sockets are made, and no event of theirs has been read.
      await new Promise(process.nextTick);
      await backend.close();
      console.log(await ready);`);
    expect(stdout).toBe('BACKEND_UNAVAILABLE\n');
  },
  60_000,
);

/** Its client pauses between two tries to connect, and that pause keeps no process alive. */
const NODE_REDIS = `redis({
  client: (await import('redis')).createClient({ url: 'redis://127.0.0.1:9' }).on('error', () => undefined),
  operationTimeoutMs: 100,
})`;

it.each([...BACKENDS, ['redis', NODE_REDIS] as const])(
  'a caller on %s keeps the process alive while it waits for an answer (%#)',
  async (name, backend, entry: string = name) => {
    const stdout = await run(`
      import { Bedrock } from 'bedrock-lock';
      import { ${name} } from 'bedrock-lock/${entry}';
      const bedrock = new Bedrock({ backend: ${backend} });
      const patience = new AbortController();
      let failures = 0;
      bedrock.on('backend.unavailable', () => ++failures === 3 && patience.abort());
      const options = { waitMs: 20_000, signal: patience.signal };
      await bedrock.mutex('job').acquire(options).catch(({ code }) => console.log(code, failures));
      await bedrock.close();`);
    expect(stdout).toBe('LOCK_ABORTED 3\n');
  },
  60_000,
);

/** Gives the output of a program that ends by itself. */
async function run(program: string): Promise<string> {
  const args = ['--input-type=module', '--eval', program];
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 30_000 });
  return stdout;
}
