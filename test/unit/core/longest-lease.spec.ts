import { Bedrock, type Backend } from 'bedrock-lock';
import { etcd } from 'bedrock-lock/etcd';
import { memory } from 'bedrock-lock/memory';
import { mysql, mysqlSessions } from 'bedrock-lock/mysql';
import { postgres, postgresSession } from 'bedrock-lock/postgres';
import { redis } from 'bedrock-lock/redis';
import { zookeeper } from 'bedrock-lock/zookeeper';
import { readFileSync } from 'node:fs';

// Nothing is connected before it is asked.
const DEFAULTS: [what: string, backend: () => Backend, longestMs: number, page: string][] = [
  ['memory', () => memory(), 300_000, 'memory'],
  ['redis', () => redis({ url: 'redis://127.0.0.1:1' }), 300_000, 'redis'],
  ['mysql', () => mysql('mysql://127.0.0.1:1/test'), 300_000, 'mysql'],
  ['postgres', () => postgres('postgres://127.0.0.1:1/test'), 300_000, 'postgres'],
  ['guarded redis', () => redis({ url: 'redis://127.0.0.1:1', restartGuard: true }), 30_000, 'redis'],
  ['mysqlSessions', () => mysqlSessions('mysql://127.0.0.1:1/test'), 30_000, 'mysql'],
  ['postgresSession', () => postgresSession('postgres://127.0.0.1:1/test'), 30_000, 'postgres'],
  ['etcd', () => etcd({ hosts: 'http://127.0.0.1:1' }), 30_000, 'etcd'],
  ['zookeeper', () => zookeeper({ connect: '127.0.0.1:1' }), 26_000, 'zookeeper'],
];

describe('the longest lease', () => {
  it.each(DEFAULTS)('of %s, as its page says', async (_what, make, longestMs, page) => {
    const backend = make();
    expect(backend.traits.maxLeaseMs).toBe(longestMs);
    const rows = readFileSync(`docs/backends/${page}.md`, 'utf8').split('\n');
    const row = rows.find((line) => line.startsWith('| `maxLeaseMs`'));
    expect(row).toContain(longestMs.toLocaleString('en'));
    await backend.close();
  });

  it.each(['leaseMs', 'holdAtLeastMs'])(
    'is named by the error about a longer %s, with what raises it',
    async (field) => {
      const bedrock = new Bedrock({ backend: memory() });
      const report = (ms: number) => bedrock.mutex(`report ${ms}`, { [field]: ms });
      expect(() => report(300_000)).not.toThrow();
      expect(() => report(300_001)).toThrow(
        `${field} must be at most 300000, the backend's maxLeaseMs: raise that option where it may be longer; got 300001`,
      );
      await bedrock.close();
    },
  );
});
