import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startRedis, type RunningServer } from 'bedrock-servers';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { hidePackage } from '../../../support/hide-package.js';

const PROGRAM = `
  ${hidePackage('ioredis')}
  const { Bedrock } = await import('bedrock-lock');
  const { redis } = await import('bedrock-lock/redis');
  const { createClient } = await import('redis');
  const url = process.argv[1];
  const bedrock = new Bedrock({ backend: redis({ client: createClient({ url }) }) });
  console.log(await bedrock.mutex('job').run(() => 'locked through node-redis'));
  await bedrock.close();
  const byUrl = redis(url);
  const startedAt = performance.now();
  await byUrl.ready().catch((error) => console.log(error.code, error.message));
  console.log(performance.now() - startedAt < 500);
  await byUrl.close();
`;

let server: RunningServer;
beforeAll(async () => {
  server = await startRedis({ shared: true });
});
afterAll(() => server.stop());

it('an application without ioredis locks through its node-redis, and learns at once what a URL needs', async () => {
  const program = ['--input-type=module', '--eval', PROGRAM, server.url];
  const { stdout } = await promisify(execFile)(process.execPath, program, { timeout: 15_000 });
  expect(stdout.trim().split('\n')).toEqual([
    'locked through node-redis',
    'BACKEND_UNAVAILABLE redis is unavailable: ioredis cannot be loaded: install it, or give redis() a client of node-redis or iovalkey',
    'true',
  ]);
});
