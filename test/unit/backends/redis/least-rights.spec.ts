import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { Bedrock, type Backend } from 'bedrock-lock';
import { FAIR_MUTEX, MUTEX } from 'bedrock-lock/backend';
import { eventually } from 'bedrock-testkit';
import { Redis } from 'ioredis';
import { scripts } from '../../../../libs/lock/src/backends/redis/protocol/scripts.generated.js';
import { RedisFixture } from './fixture.js';
import { leastUser, recipe } from './least-rights.js';
import { clientOf, LIBRARIES } from './libraries.mjs';

/** The commands that are sent beside the scripts. */
const SENT = [
  'hello', 'client', 'ping', 'info', 'time', 'evalsha', 'eval', 'script', 'subscribe', 'unsubscribe', 'get', 'set', 'del',
  'scan',
]; // prettier-ignore

const fixture = new RedisFixture();
let user: Redis;

beforeAll(async () => {
  await fixture.start();
  user = new Redis(await leastUser(fixture.observer, fixture.server.url));
});
afterEach(() => fixture.clean());
afterAll(async () => {
  user.disconnect();
  await fixture.stop();
});

it('the recipe names every command by itself, and no key or channel of others', () => {
  const rules = recipe();
  expect(rules.filter((rule) => !/^(\+[a-z|]+|[~&]\{?(shop:|bedrock_|redisson_)\S*)$/.test(rule))).toEqual(
    [],
  );
  expect(new Set(rules).size).toBe(rules.length);
});

it('the recipe allows what Bedrock asks for, and nothing more', () => {
  const texts = Object.values(scripts).map(({ source }) => source);
  const inScripts = (pattern: RegExp) =>
    texts.flatMap((text) => [...text.matchAll(pattern)].map(([, word]) => word!.toLowerCase()));
  const allowed = recipe().flatMap((rule) => /^\+([a-z]+)/.exec(rule)?.[1] ?? []);
  const needed = [...SENT, ...inScripts(/\bp?call\('(\w+)'/g)];
  expect([...new Set(needed)].filter((command) => !allowed.includes(command))).toEqual([]);
  const named = new Set([...SENT, ...inScripts(/'(\w+)'/g)]);
  expect(allowed.filter((command) => !named.has(command))).toEqual([]);
});

it.each([
  ['a key of another application', ['get', 'invoices']],
  [
    'a key of another application, in a script',
    ['eval', "return redis.call('get', KEYS[1])", '1', 'invoices'],
  ],
  ['a channel of another application', ['subscribe', 'invoices']],
  ['keys that begin like its own', ['get', 'shopping']],
  ['all keys', ['keys', '*']],
  ['the whole database', ['flushdb']],
  ['the settings', ['config', 'get', '*']],
  ['the users', ['acl', 'list']],
  ['the scripts of others', ['script', 'flush']],
  ['another database', ['select', '1']],
])('a user with these rights may not touch %s', async (_what, [command, ...args]) => {
  await expect(user.call(command!, args)).rejects.toThrow(/NOPERM/);
});

it.each(LIBRARIES)(
  'fair mutexes are served with these rights through %s, and are heard again',
  async (library) => {
    const { observer, server } = fixture;
    const url = await leastUser(observer, server.url);
    const [mine, other] = await Promise.all(
      [1, 2].map(() => fixture.backend({ client: clientOf(library, url) })),
    );
    const [first, second] = [mine!, other!].map((backend) => new Bedrock({ backend }).fairMutex('shop:fair'));
    const listeners = async (): Promise<readonly string[]> =>
      String(await observer.call('client', 'list', 'type', 'pubsub')).match(/^id=\d+/gm) ?? [];
    const hears = (backend: Backend) =>
      backend.leases
        .watch('shop:other', MUTEX, () => undefined)
        .then(
          () => true,
          () => false,
        );
    const held = await first!.acquire();
    const waiting = second!.acquire();
    await other!.leases.watch('shop:fair', FAIR_MUTEX, () => undefined);
    await eventually('it is in the queue', () => observer.exists('redisson_lock_queue:{shop:fair}'));
    const before = await listeners();
    await observer.call('client', 'kill', 'type', 'pubsub');
    await eventually('new connections', async () => (await listeners()).every((id) => !before.includes(id)));
    await eventually('a new watch', async () => (await hears(mine!)) && (await hears(other!)));
    await held.release();
    await (await waiting).release();
  },
);

it.each(LIBRARIES)('records of idempotency are kept with these rights through %s', async (library) => {
  const url = await leastUser(fixture.observer, fixture.server.url);
  const backend = await fixture.backend({ client: clientOf(library, url) });
  const bedrock = new Bedrock({ backend });
  const orders = bedrock.idempotency('shop:orders');
  const value = { note: 'žluť ¥ \r\n', bytes: 'x'.repeat(10_000) };
  expect(await orders.run({ key: 'ž', payload: value }, () => value)).toEqual({ value, replayed: false });
  expect(await orders.run({ key: 'ž', payload: value }, () => value)).toEqual({ value, replayed: true });
  await expect(orders.run({ key: 'f' }, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect((await orders.inspect('ž'))?.state).toBe('completed');
  expect(await orders.forget('ž')).toBe(true);
  expect(await orders.consume(await orders.issueToken())).toBe(true);
});
