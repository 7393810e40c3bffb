import { setTimeout as sleep } from 'node:timers/promises';
import { etcdCall, startEtcd, startProxy, type RunningServer, type TcpProxy } from 'bedrock-servers';
import { eventually, FREE } from 'bedrock-testkit';
import { claimOf, EtcdFixture, granted, keysOf, entryKeysOf } from './fixture.js';

const OPERATION_MS = 1_000;

const fixture = new EtcdFixture();
let server: RunningServer;
let proxy: TcpProxy;

beforeAll(async () => {
  server = await startEtcd();
});
beforeEach(async () => {
  proxy = await startProxy(server.port);
});
afterEach(async () => {
  server.resume();
  await fixture.clean();
  await proxy.stop();
});
afterAll(() => server.stop());

const url = (): string => `http://127.0.0.1:${proxy.port}`;
const throughProxy = () => ({ hosts: url(), operationTimeoutMs: OPERATION_MS });
const direct = () => ({ hosts: server.url, operationTimeoutMs: OPERATION_MS });

it('an entry whose reply was lost is found again: one grant, one token', async () => {
  const backend = await fixture.backend(throughProxy());
  const resource = fixture.fresh();
  await backend.leases.withdraw(await granted(backend, resource), FREE);
  const claim = claimOf(backend, resource);
  proxy.dropReplies();
  await expect(backend.leases.claim(claim)).rejects.toMatchObject({ executed: 'unknown' });
  expect(await entryKeysOf(server.url, resource)).toHaveLength(1);
  proxy.dropReplies(false);
  await eventually('it is granted', async () => {
    const again = { ...claim, notAfter: performance.now() + OPERATION_MS };
    const verdict = await backend.leases.claim(again).catch(() => undefined);
    return verdict?.kind === 'granted';
  });
  expect(await entryKeysOf(server.url, resource)).toHaveLength(1);
  expect(await backend.leases.withdraw(claim, FREE)).toBe('released');
  expect(await entryKeysOf(server.url, resource)).toEqual([]);
});

it('a claim that is withdrawn before its entry appears leaves none, and is never granted', async () => {
  const backend = await fixture.backend(direct());
  const resource = fixture.fresh();
  await backend.leases.withdraw(await granted(backend, resource), FREE);
  // The pause takes a while on a busy machine, and the time of a claim runs from its creation.
  server.pause();
  const claim = claimOf(backend, resource);
  await expect(backend.leases.claim(claim)).rejects.toMatchObject({ executed: 'unknown' });
  await expect(backend.leases.withdraw(claim, FREE)).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE' });
  server.resume();
  const other = await fixture.backend(direct());
  await eventually('others are let in', async () => {
    const verdict = await other.leases.claim(claimOf(other, resource, { queue: false }));
    return verdict.kind === 'granted';
  });
  const again = { ...claim, notAfter: performance.now() + OPERATION_MS };
  expect((await backend.leases.claim(again)).kind).toBe('stale');
  await sleep(300);
  expect(await entryKeysOf(server.url, resource)).toHaveLength(1);
});

it('a repeated claim that gets no answer says why', async () => {
  const backend = await fixture.backend(throughProxy());
  const claim = await granted(backend, fixture.fresh());
  await proxy.stop();
  const again = { ...claim, notAfter: performance.now() + OPERATION_MS };
  await expect(backend.leases.claim(again)).rejects.toMatchObject({
    executed: 'unknown',
    detail: expect.stringMatching(/^no answer to a claim: 14 UNAVAILABLE: .+/) as unknown,
    cause: { code: 'BACKEND_UNAVAILABLE' },
  });
});

it('a request that arrives after it was given up does nothing', async () => {
  const backend = await fixture.backend(throughProxy());
  const resource = fixture.fresh();
  await backend.leases.withdraw(await granted(backend, resource), FREE);
  const claim = claimOf(backend, resource);
  // It is on its way for longer than any caller waits for it, and overtaken by requests over the next connection.
  proxy.delay(2 * OPERATION_MS, 'requests');
  await expect(backend.leases.claim(claim)).rejects.toMatchObject({ executed: 'unknown' });
  proxy.delay(0, 'requests');
  await eventually('it is given back', async () => {
    const outcome = await backend.leases.withdraw(claim, FREE).catch(() => undefined);
    return outcome !== undefined;
  });
  const sessions = (await keysOf(server.url, 'bedrock/session/')).length;
  expect(sessions).toBeGreaterThan(0);
  await sleep(2 * OPERATION_MS);
  expect(await entryKeysOf(server.url, resource)).toEqual([]);
});

it('an entry that is made again for the same claim has another key: a late removal of the first cannot end it', async () => {
  const backend = await fixture.backend(direct());
  const other = await fixture.backend(direct());
  const resource = fixture.fresh();
  const claim = await granted(backend, resource);
  const [first] = await entryKeysOf(server.url, resource);
  await other.leases.revoke(resource, claim.shape, 'now');
  const again = { ...claim, notAfter: performance.now() + OPERATION_MS };
  expect((await backend.leases.claim(again)).kind).toBe('granted');
  const [second] = await entryKeysOf(server.url, resource);
  expect(second!.key).not.toBe(first!.key);
  await etcdCall(server.url, 'kv/deleterange', { key: btoa(first!.key) });
  expect(await entryKeysOf(server.url, resource)).toEqual([second]);
  expect(await backend.leases.withdraw(claim, FREE)).toBe('released');
  expect(await entryKeysOf(server.url, resource)).toEqual([]);
});

it('a holder whose session was ended by the server hears of it at once', async () => {
  const [one, other] = [await fixture.peer(direct()), await fixture.peer(direct())];
  const resource = fixture.fresh();
  const lease = await one.mutex(resource).acquire({ leaseMs: 10_000 });
  const [entry] = await entryKeysOf(server.url, resource);
  const next = other.mutex(resource).acquire({ waitMs: 5_000 });
  await eventually('it waits', async () => (await entryKeysOf(server.url, resource)).length === 2);
  const lost = new Promise((resolve) => lease.signal.addEventListener('abort', resolve));
  await etcdCall(server.url, 'lease/revoke', { ID: entry!.lease });
  await lost;
  expect(lease.isHeld).toBe(false);
  const nextLease = await next;
  expect(nextLease.token).toBeGreaterThan(lease.token);
  expect(await lease.release()).toBe('lost');
  expect(nextLease.isHeld).toBe(true);
  // A new session serves what comes then.
  await nextLease.release();
  await (await one.mutex(resource).acquire()).release();
});

it('a hold survives a silence that is shorter than its lease, and no longer one', async () => {
  const [one, other] = [await fixture.peer(throughProxy()), await fixture.peer(direct())];
  const resource = fixture.fresh();
  const lease = await one.mutex(resource).acquire({ leaseMs: 5_000 });
  const silence = (isSilent: boolean): void => {
    proxy.dropRequests(isSilent);
    proxy.dropReplies(isSilent);
  };
  silence(true);
  await sleep(2_000);
  silence(false);
  await sleep(5_000);
  expect(lease.isHeld).toBe(true);
  let grantedAt = 0;
  const next = other.mutex(resource).acquire({ waitMs: 15_000 });
  void next.then(() => (grantedAt = performance.now()));
  silence(true);
  await new Promise((resolve) => lease.signal.addEventListener('abort', resolve));
  const nextLease = await next;
  expect(grantedAt).toBeGreaterThanOrEqual(lease.validUntil);
  expect(nextLease.token).toBeGreaterThan(lease.token);
}, 30_000);

it('a server that is frozen for two leases: one holder at a time, and tokens grow', async () => {
  const [one, other] = [await fixture.peer(direct()), await fixture.peer(direct())];
  const resource = fixture.fresh();
  const lease = await one.mutex(resource).acquire({ leaseMs: 1_000 });
  const next = other.mutex(resource).acquire({ waitMs: 15_000 });
  await eventually('it waits', async () => (await entryKeysOf(server.url, resource)).length === 2);
  server.pause();
  await sleep(2_000);
  expect(lease.isHeld).toBe(false);
  server.resume();
  const nextLease = await next;
  expect(nextLease.token).toBeGreaterThan(lease.token);
  await nextLease.release();
  await eventually('nothing is left', async () => (await entryKeysOf(server.url, resource)).length === 0);
}, 30_000);

it('a server that is killed and comes back: the hold lives on, and tokens grow', async () => {
  const [one, other] = [await fixture.peer(direct()), await fixture.peer(direct())];
  const resource = fixture.fresh();
  const lease = await one.mutex(resource).acquire({ leaseMs: 8_000 });
  const next = other.mutex(resource).acquire({ waitMs: 20_000 });
  await eventually('it waits', async () => (await entryKeysOf(server.url, resource)).length === 2);
  server.kill('SIGKILL');
  await server.restart();
  const { validUntil } = lease;
  await eventually('it is renewed', () => lease.validUntil > validUntil, { withinMs: 10_000 });
  expect(lease.isHeld).toBe(true);
  expect(await lease.release()).toBe('released');
  const nextLease = await next;
  expect(nextLease.token).toBeGreaterThan(lease.token);
  await nextLease.release();
}, 40_000);
