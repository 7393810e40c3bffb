import { Bedrock, isLockError, type Backend } from 'bedrock-lock';
import { combination } from 'bedrock-lock/combination';
import { etcd } from 'bedrock-lock/etcd';
import { memory } from 'bedrock-lock/memory';
import { mysql, mysqlSessions } from 'bedrock-lock/mysql';
import { postgres, postgresSession } from 'bedrock-lock/postgres';
import { redis } from 'bedrock-lock/redis';
import { zookeeper } from 'bedrock-lock/zookeeper';
import { createClient } from 'redis';
import { MARK, SECRET, secretsIn } from '../../support/marked-secret.js';

/** `ready()` waits five times as long. */
const BRIEF = { operationTimeoutMs: 50 };

const GROUNDS: Readonly<Record<string, () => Backend>> = {
  'redis, a URL': () => redis({ url: `redis://user:${MARK}@127.0.0.1:1`, ...BRIEF }),
  'redis, a connection': () =>
    redis({ connection: { host: '127.0.0.1', port: 1, username: 'user', password: MARK }, ...BRIEF }),
  'redis, sentinels': () =>
    redis({
      connection: {
        sentinels: [{ host: '127.0.0.1', port: 1 }],
        name: 'main',
        sentinelPassword: MARK,
        password: MARK,
      },
      ...BRIEF,
    }),
  'redis, a cluster': () =>
    redis({ cluster: [{ host: '127.0.0.1', port: 1 }], connection: { password: MARK }, ...BRIEF }),
  'redis, node-redis': () =>
    redis({ client: createClient({ url: `redis://user:${MARK}@127.0.0.1:1` }), ...BRIEF }),
  'etcd, a user': () =>
    etcd({ hosts: 'http://127.0.0.1:1', auth: { username: 'user', password: MARK }, ...BRIEF }),
  'etcd, certificates': () =>
    etcd({
      hosts: 'https://127.0.0.1:1',
      credentials: { rootCertificate: SECRET, privateKey: SECRET, certChain: SECRET },
      ...BRIEF,
    }),
  zookeeper: () =>
    zookeeper({ connect: '127.0.0.1:1', auth: { scheme: 'digest', credentials: `user:${MARK}` }, ...BRIEF }),
  'mysql, a URL': () => mysql({ url: `mysql://user:${MARK}@127.0.0.1:1/db`, ...BRIEF }),
  'mysql, a connection': () =>
    mysql({ connection: { host: '127.0.0.1', port: 1, user: 'user', password: MARK }, ...BRIEF }),
  'mysql, sessions': () => mysqlSessions({ url: `mysql://user:${MARK}@127.0.0.1:1/db`, ...BRIEF }),
  'postgres, a URL': () => postgres({ url: `postgres://user:${MARK}@127.0.0.1:1/db`, ...BRIEF }),
  'postgres, a connection': () =>
    postgres({ connection: { host: '127.0.0.1', port: 1, user: 'user', password: MARK }, ...BRIEF }),
  'postgres, sessions': () => postgresSession({ url: `postgres://user:${MARK}@127.0.0.1:1/db`, ...BRIEF }),
  'a combination': () =>
    combination({
      nodes: [1, 2, 3].map((port) => redis({ url: `redis://user:${MARK}@127.0.0.1:${port}`, ...BRIEF })),
    }),
};

describe.each(Object.entries(GROUNDS))('a secret that is given to %s', (_name, open) => {
  it('is in no error, event, statistic, inspection or JSON', async () => {
    const bedrock = new Bedrock({ backend: open(), defaults: { waitMs: 200, failFast: true } });
    const told: unknown[] = [];
    bedrock.on('backend.unavailable', (event) => told.push(event));
    const lock = bedrock.mutex('lock');
    const errors = await Promise.all([
      bedrock.ready().catch((error: unknown) => error),
      lock.acquire().catch((error: unknown) => error),
    ]);
    expect(errors.map(isLockError)).toEqual([true, true]);
    const all = { bedrock, backend: bedrock.backend, lock, errors, told, stats: bedrock.stats() };
    for (const [name, value] of Object.entries(all)) expect([name, secretsIn(value)]).toEqual([name, []]);
    await bedrock.close({ graceMs: 0 });
  }, 30_000);
});

describe('a secret beside an option that is wrong', () => {
  const wrong: Readonly<Record<string, () => unknown>> = {
    redis: () => redis(`http://user:${MARK}@127.0.0.1`),
    'redis with a label': () => redis({ url: `redis://user:${MARK}@127.0.0.1`, label: 7 as never }),
    'redis with another option': () => redis({ url: `redis://user:${MARK}@127.0.0.1`, urls: [] } as never),
    'redis with both': () => redis({ url: `redis://user:${MARK}@h`, client: {} as never }),
    etcd: () => etcd({ hosts: `http://user:${MARK}@127.0.0.1` }),
    'etcd with a number': () => etcd({ hosts: 'http://h:1', auth: { username: 7 as never, password: MARK } }),
    zookeeper: () => zookeeper({ connect: '', auth: { scheme: 'digest', credentials: `user:${MARK}` } }),
    'zookeeper with a scheme': () =>
      zookeeper({ connect: 'h', auth: { scheme: 7 as never, credentials: `user:${MARK}` } }),
    mysql: () => mysql(`http://user:${MARK}@127.0.0.1`),
    'mysql with both': () => mysql({ url: `mysql://user:${MARK}@h`, connection: { password: MARK } }),
    postgres: () => postgres(`http://user:${MARK}@127.0.0.1`),
    combination: () => combination({ nodes: [redis(`redis://user:${MARK}@127.0.0.1:1`)], minNodes: 9 }),
  };
  it.each(Object.entries(wrong))('is not in the error of %s', (_name, act) => {
    let thrown: unknown;
    try {
      act();
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toMatchObject({ code: 'INVALID_OPTION' });
    expect(secretsIn(thrown)).toEqual([]);
  });
});

describe('the keys of an idempotency', () => {
  const encryption = [{ id: 'k1', secret: SECRET }];

  it('are shown nowhere', async () => {
    const bedrock = new Bedrock({ backend: memory() });
    const orders = bedrock.idempotency('orders', { encryption });
    await orders.run({ key: 'a' }, () => MARK.length);
    expect(secretsIn(orders)).toEqual([]);
    expect(secretsIn(orders.settings)).toEqual([]);
    expect(secretsIn(bedrock)).toEqual([]);
    await bedrock.close();
  });

  it('are not in the error about other keys under one name', async () => {
    const bedrock = new Bedrock({ backend: memory() });
    bedrock.idempotency('orders', { encryption });
    const others = [{ id: 'k1', secret: Buffer.alloc(32, 1) }];
    let thrown: unknown;
    try {
      bedrock.idempotency('orders', { encryption: others });
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toMatchObject({ code: 'INVALID_OPTION' });
    expect(String(thrown)).toContain('another encryption');
    expect(secretsIn(thrown)).toEqual([]);
    await bedrock.close();
  });

  it('are the same when the same are given again', async () => {
    const bedrock = new Bedrock({ backend: memory() });
    const once = bedrock.idempotency('orders', { encryption });
    const again = [{ id: 'k1', secret: Uint8Array.from(SECRET) }];
    expect(bedrock.idempotency('orders', { encryption: again })).toBe(once);
    await bedrock.close();
  });
});
