import { describe, expect, it } from '@jest/globals';
import { backendOf } from '../src/server/backend-of.js';
import { ENGINE_NAMES, type RunServers } from '../src/server/run-servers.js';

const TIMEOUT_MS = 1_234;
const URLS = {
  zookeeper: 'zookeeper://127.0.0.1:1',
  etcd: 'http://127.0.0.1:1',
  mysql: 'mysql://root@127.0.0.1:1/none',
  postgres: 'postgres://postgres@127.0.0.1:1/none',
};
const data = { url: 'redis://127.0.0.1:1', prefix: 'test:', operationTimeoutMs: TIMEOUT_MS };

describe('the backend of a run', () => {
  it.each<[string, RunServers]>([
    ['redis', { kind: 'redis', ...data }],
    ...ENGINE_NAMES.map((engine): [string, RunServers] => [
      engine,
      { kind: 'engine', engine, locksUrl: URLS[engine], ...data },
    ]),
  ])('has the time-out of the command line: %s', async (_name, servers) => {
    const backend = await backendOf({ servers, leaseMs: 10_000 });
    expect(backend.operationTimeoutMs).toBe(TIMEOUT_MS);
    await backend.close();
  });

  it('gives it to the nodes of a combination', async () => {
    const rules = { locations: [1, 2, 3].map((port) => ({ url: `redis://127.0.0.1:${port}` })) };
    const timeoutOf = async (operationTimeoutMs: number): Promise<number> => {
      const servers = { kind: 'combination', rules, ...data, operationTimeoutMs } as const;
      const backend = await backendOf({ servers, leaseMs: 2_000 });
      await backend.close();
      return backend.operationTimeoutMs;
    };
    // An attempt asks each of the three, and a release up to twice more.
    expect((await timeoutOf(60)) - (await timeoutOf(50))).toBe(5 * 10);
  });
});
