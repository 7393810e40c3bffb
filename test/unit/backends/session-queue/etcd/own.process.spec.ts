import { startEtcd, type RunningServer } from 'bedrock-servers';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { hidePackage } from '../../../../support/hide-package.js';

const run = promisify(execFile);

const WITHOUT = `
  ${hidePackage('etcd3')}
  const { etcd } = await import('bedrock-lock/etcd');
  const backend = etcd(process.argv[1]);
  const startedAt = performance.now();
  await backend.ready().catch((error) => console.log(error.code, error.message));
  console.log(performance.now() - startedAt < 500);
  await backend.close();
`;

const CLOSING = `
  import { Bedrock } from 'bedrock-lock';
  import { etcd } from 'bedrock-lock/etcd';
  const bedrock = new Bedrock({ backend: etcd(process.argv[1]) });
  await bedrock.mutex('job').run(() => console.log('done'));
  await bedrock.close();
  const startedAt = performance.now();
  process.on('exit', () => console.log(performance.now() - startedAt < 1_500));
`;

let server: RunningServer;
beforeAll(async () => {
  server = await startEtcd({ shared: true });
});
afterAll(() => server.stop());

async function linesOf(program: string): Promise<string[]> {
  const args = ['--input-type=module', '--eval', program, server.url];
  const { stdout } = await run(process.execPath, args, { timeout: 20_000 });
  return stdout.trim().split('\n');
}

it('an application without etcd3 learns at once what to install', async () => {
  expect(await linesOf(WITHOUT)).toEqual([
    'BACKEND_UNAVAILABLE etcd is unavailable: the client library etcd3 could not be loaded: npm install etcd3',
    'true',
  ]);
}, 30_000);

it('a process ends by itself once its locks are closed', async () => {
  expect(await linesOf(CLOSING)).toEqual(['done', 'true']);
}, 30_000);
