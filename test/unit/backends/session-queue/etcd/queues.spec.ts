import type { Backend } from 'bedrock-lock';
import { permits, READER, WRITER, type Claim } from 'bedrock-lock/backend';
import { startEtcd, type RunningServer } from 'bedrock-servers';
import { eventually, FREE } from 'bedrock-testkit';
import { whileAsking } from '../while-asking.js';
import { claimOf, EtcdFixture, granted, keysOf, entryKeysOf } from './fixture.js';

const fixture = new EtcdFixture();
let server: RunningServer;

beforeAll(async () => {
  server = await startEtcd({ shared: true });
});
afterEach(() => fixture.clean());
afterAll(() => server.stop());

/** Claims that wait, and what wakes them. */
async function crowd(backend: Backend, resource: string, count: number, terms?: Partial<Claim>) {
  const woken: string[] = [];
  await backend.leases.watch(resource, terms?.shape ?? claimOf(backend, resource).shape, (wake) =>
    woken.push(wake?.claimId ?? 'everybody'),
  );
  const claims = Array.from({ length: count }, () => claimOf(backend, resource, terms));
  const verdicts = await Promise.all(claims.map((claim) => backend.leases.claim(claim)));
  expect(new Set(verdicts.map(({ kind }) => kind))).toEqual(new Set(['refused']));
  return { claims, woken };
}

it('a release wakes the next in the queue alone, with 100 waiters', async () => {
  // A server that is slow to answer must not count as silent: a new connection wakes all of them.
  const patient = { hosts: server.url, operationTimeoutMs: 5_000 };
  const [one, other] = [await fixture.backend(patient), await fixture.backend(patient)];
  const resource = fixture.fresh();
  let held = await granted(one, resource);
  const { claims, woken } = await crowd(other, resource, 100);
  const waiting = [...claims];
  await whileAsking(other, waiting, async () => {
    await Promise.all(waiting.map((claim) => other.leases.claim(claim)));
    for (const [i, next] of claims.slice(0, 5).entries()) {
      expect(await (i === 0 ? one : other).leases.withdraw(held, FREE)).toBe('released');
      await eventually('the next is woken', () => woken.length === i + 1);
      expect(woken.at(-1)).toBe(next.id);
      const verdict = await other.leases.claim({ ...next, notAfter: performance.now() + 1_000 });
      if (verdict.kind !== 'granted') throw new Error(verdict.kind);
      expect(verdict.token).toBeGreaterThan(held.token);
      held = { ...next, token: verdict.token };
      waiting.shift();
    }
  });
  expect(woken).toHaveLength(5);
});

it('claims of one turn stand in their order, and go to the server together', async () => {
  const backend = await fixture.backend({ hosts: server.url });
  const resource = fixture.fresh();
  await granted(backend, resource);
  const sent = backend.commands;
  const { claims } = await crowd(backend, resource, 40);
  expect(backend.commands - sent).toBeLessThanOrEqual(4);
  const stored = (await entryKeysOf(server.url, resource)).map(({ key }) => decodeURIComponent(key));
  expect(stored).toHaveLength(41);
  await Promise.all(claims.map((claim) => backend.leases.withdraw(claim, FREE)));
  await eventually(
    'only the holder is left',
    async () => (await entryKeysOf(server.url, resource)).length === 1,
  );
});

it('renews many holds in a few requests', async () => {
  const backend = await fixture.backend({ hosts: server.url });
  const claims = await Promise.all(
    Array.from({ length: 150 }, () => granted(backend, fixture.fresh(), { leaseMs: 10_000 })),
  );
  const sent = backend.commands;
  const outcomes = await backend.leases.renew(claims.map((claim) => ({ ...claim, keepMs: 0 })));
  expect(new Set(outcomes)).toEqual(new Set(['renewed']));
  // Two transactions, and a keep-alive.
  expect(backend.commands - sent).toBeLessThanOrEqual(4);
});

it('a writer that goes on as a reader lets waiting readers in', async () => {
  const [one, other] = [
    await fixture.backend({ hosts: server.url }),
    await fixture.backend({ hosts: server.url }),
  ];
  const resource = fixture.fresh();
  const writer = await granted(one, resource, { shape: WRITER });
  const { claims, woken } = await crowd(other, resource, 1, { shape: READER });
  expect(await one.leases.renew([{ ...writer, shape: READER, keepMs: 0 }])).toEqual(['renewed']);
  await eventually('the reader is woken', () => woken.length > 0);
  const again = { ...claims[0]!, notAfter: performance.now() + 1_000 };
  expect((await other.leases.claim(again)).kind).toBe('granted');
});

it('a revoked entry stays revoked when its lease is lengthened into another session', async () => {
  const [one, other] = [
    await fixture.backend({ hosts: server.url }),
    await fixture.backend({ hosts: server.url }),
  ];
  const resource = fixture.fresh();
  const held = await granted(one, resource, { leaseMs: 1_000 });
  expect(await other.leases.revoke(resource, held.shape, 'atExpiry')).toBe(true);
  expect(await one.leases.renew([{ ...held, leaseMs: 9_000, keepMs: 0 }])).toEqual(['revoked']);
  const [view] = await other.leases.inspect(resource, held.shape);
  expect(view?.revoked).toBe(true);
});

it('a claim of k permits waits for the last of those that it needs', async () => {
  const backend = await fixture.backend({ hosts: server.url });
  const resource = fixture.fresh();
  const holders = await Promise.all(
    Array.from({ length: 3 }, () => granted(backend, resource, { shape: permits(1, 3), tokens: 0 })),
  );
  const { claims, woken } = await crowd(backend, resource, 1, { shape: permits(2, 3), tokens: 0 });
  await backend.leases.withdraw(holders[0]!, FREE);
  const [want] = claims;
  const ask = async (): Promise<string> =>
    (await backend.leases.claim({ ...want!, notAfter: performance.now() + 1_000 })).kind;
  expect(await ask()).toBe('refused');
  await backend.leases.withdraw(holders[1]!, FREE);
  await eventually('it is woken', () => woken.includes(want!.id));
  expect(await ask()).toBe('granted');
});

it('closing leaves no key and no lease', async () => {
  const prefix = `closing-${fixture.fresh()}/`;
  const backend = await fixture.backend({ hosts: server.url, prefix });
  const resource = fixture.fresh();
  await granted(backend, resource, { leaseMs: 900 });
  await granted(backend, fixture.fresh(), { leaseMs: 20_000 });
  await crowd(backend, resource, 3);
  expect((await keysOf(server.url, prefix)).length).toBeGreaterThan(5);
  await backend.close();
  expect(await keysOf(server.url, prefix)).toEqual([]);
});
