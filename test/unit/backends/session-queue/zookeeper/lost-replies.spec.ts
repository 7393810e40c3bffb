import { BackendUnavailableError, type Backend } from 'bedrock-lock';
import type { Claim } from 'bedrock-lock/backend';
import { eventually, FREE } from 'bedrock-testkit';
import { setTimeout as sleep } from 'node:timers/promises';
import { again, claimOf, fresh, ZooKeeperFixture } from './fixture.js';
import { unlessUnavailable } from '../../../../support/unless-unavailable.js';

const OPERATION_MS = 1_000;

const fixture = new ZooKeeperFixture();

beforeAll(() => fixture.start());
afterEach(() => fixture.clean());
afterAll(() => fixture.stop());

/** A backend behind a proxy, with its session for these leases open. */
async function behindProxy(): Promise<{
  backend: Backend;
  proxy: Awaited<ReturnType<typeof fixture.proxy>>['proxy'];
}> {
  const { proxy, connect } = await fixture.proxy();
  const backend = await fixture.backend({ connect, operationTimeoutMs: OPERATION_MS });
  const first = claimOf(backend, fresh());
  await backend.leases.claim(first);
  await backend.leases.withdraw(first, FREE);
  return { backend, proxy };
}

/** A claim on a queue that is there: else the request that makes the queue would be lost. */
async function claimOnQueue(backend: Backend): Promise<Claim> {
  const claim = claimOf(backend, fresh());
  await fixture.admin.create(`/bedrock/locks/${encodeURIComponent(claim.resource)}`);
  return claim;
}

async function unanswered(work: Promise<unknown>): Promise<void> {
  const error: unknown = await work.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(BackendUnavailableError);
  expect((error as BackendUnavailableError).executed).toBe('unknown');
}

describe('a claim whose reply is lost', () => {
  it('is found again by its id: one entry, one grant', async () => {
    const { backend, proxy } = await behindProxy();
    const claim = await claimOnQueue(backend);
    proxy.dropReplies();
    await unanswered(backend.leases.claim(claim));
    expect(await fixture.admin.entries(claim.resource)).toHaveLength(1);
    proxy.dropReplies(false);
    proxy.cut();
    await eventually(
      'it is granted',
      unlessUnavailable(async () => (await backend.leases.claim(again(backend, claim))).kind === 'granted'),
    );
    expect(await fixture.admin.entries(claim.resource)).toHaveLength(1);
    expect(await backend.leases.withdraw(claim, FREE)).toBe('released');
    expect(await fixture.admin.entries(claim.resource)).toEqual([]);
  });

  it('is removed when no caller asks for it again', async () => {
    const { backend, proxy } = await behindProxy();
    const claim = await claimOnQueue(backend);
    proxy.dropReplies();
    await unanswered(backend.leases.claim(claim));
    expect(await fixture.admin.entries(claim.resource)).toHaveLength(1);
    proxy.dropReplies(false);
    proxy.cut();
    await eventually(
      'the entry is gone',
      async () => (await fixture.admin.entries(claim.resource)).length === 0,
    );
  });

  it('is looked for behind a change, since another server may not have heard of it yet', async () => {
    const { backend, proxy } = await behindProxy();
    const claim = await claimOnQueue(backend);
    const written = async (): Promise<number> => {
      const nodes = (await fixture.admin.children('/bedrock/sessions')).map(
        (one) => `/bedrock/sessions/${one}`,
      );
      const versions = await Promise.all(nodes.map((node) => fixture.admin.version(node)));
      return versions.reduce((sum, version) => sum + version, 0);
    };
    proxy.dropReplies();
    await unanswered(backend.leases.claim(claim));
    const before = await written();
    proxy.dropReplies(false);
    proxy.cut();
    await eventually(
      'it is removed',
      unlessUnavailable(async () => (await backend.leases.withdraw(claim, FREE)) === 'absent'),
    );
    expect(await fixture.admin.entries(claim.resource)).toEqual([]);
    expect(await written()).toBe(before + 1);
  });

  it('is removed when it was withdrawn before it was seen, and is never granted afterwards', async () => {
    const { backend, proxy } = await behindProxy();
    const claim = await claimOnQueue(backend);
    proxy.delay(3 * OPERATION_MS, 'requests');
    await unanswered(backend.leases.claim(claim));
    await unanswered(backend.leases.withdraw(claim, FREE));
    expect(await fixture.admin.entries(claim.resource)).toEqual([]);
    proxy.delay(0);
    await sleep(3 * OPERATION_MS);
    await eventually(
      'it is confirmed',
      unlessUnavailable(async () => (await backend.leases.withdraw(claim, FREE)) === 'absent'),
    );
    expect(await fixture.admin.entries(claim.resource)).toEqual([]);
    expect((await backend.leases.claim(again(backend, claim))).kind).toBe('stale');
    expect((await backend.leases.claim(claimOf(backend, claim.resource))).kind).toBe('granted');
  });

  it('that never arrived leaves nothing, and is asked for anew', async () => {
    const { backend, proxy } = await behindProxy();
    const claim = await claimOnQueue(backend);
    proxy.dropRequests();
    await unanswered(backend.leases.claim(claim));
    proxy.dropRequests(false);
    proxy.cut();
    expect(await fixture.admin.entries(claim.resource)).toEqual([]);
    await eventually(
      'it is granted',
      unlessUnavailable(async () => (await backend.leases.claim(again(backend, claim))).kind === 'granted'),
    );
  });
});

it('a repeated claim whose reply is lost says why', async () => {
  const { backend, proxy } = await behindProxy();
  const claim = claimOf(backend, fresh());
  expect((await backend.leases.claim(claim)).kind).toBe('granted');
  proxy.dropReplies();
  const arrived = new Promise((resolve) => proxy.onRequest(resolve));
  const repeated = backend.leases.claim(again(backend, claim));
  const isTold = expect(repeated).rejects.toMatchObject({
    executed: 'unknown',
    detail: expect.stringMatching(/^no answer to a claim: .+/) as unknown,
    cause: { code: 'BACKEND_UNAVAILABLE' },
  });
  await arrived;
  proxy.cut();
  await isTold;
});

it('a claim whose reply came while the process stalled is granted', async () => {
  const backend = await fixture.backend({ operationTimeoutMs: OPERATION_MS });
  await backend.leases.claim(claimOf(backend, fresh()));
  const claim = claimOf(backend, fresh());
  const asked = backend.leases.claim(claim);
  // It is on its way when the turn ends.
  await new Promise(setImmediate);
  for (const end = performance.now() + 2 * backend.operationTimeoutMs; performance.now() < end;);
  expect((await asked).kind).toBe('granted');
});

describe('a renewal whose reply is lost', () => {
  it('is unknown, and the grant stands', async () => {
    const { backend, proxy } = await behindProxy();
    const claim = claimOf(backend, fresh());
    await backend.leases.claim(claim);
    proxy.dropReplies();
    expect(await backend.leases.renew([{ ...claim, keepMs: 0 }])).toEqual(['unknown']);
    proxy.dropReplies(false);
    proxy.cut();
    await eventually(
      'it is renewed',
      unlessUnavailable(async () => {
        const [outcome] = await backend.leases.renew([{ ...claim, keepMs: 0 }]);
        expect(outcome).not.toBe('lost');
        return outcome === 'renewed';
      }),
    );
  });

  it('that would replace the entry by one of a longer session is settled by the next', async () => {
    const { backend, proxy } = await behindProxy();
    const [long, claim] = [claimOf(backend, fresh(), { leaseMs: 8_000 }), claimOf(backend, fresh())];
    await backend.leases.claim(long);
    await backend.leases.claim(claim);
    proxy.dropReplies();
    const renewal = [{ ...claim, leaseMs: 8_000, keepMs: 0 }];
    expect(await backend.leases.renew(renewal)).toEqual(['unknown']);
    proxy.dropReplies(false);
    proxy.cut();
    await eventually(
      'it is renewed',
      unlessUnavailable(async () => (await backend.leases.renew(renewal))[0] === 'renewed'),
    );
    expect(await fixture.admin.entries(claim.resource)).toHaveLength(1);
    expect(await backend.leases.withdraw(claim, FREE)).toBe('released');
    expect(await fixture.admin.entries(claim.resource)).toEqual([]);
  });
});

describe.each(['reply', 'request'])('a move to a longer session of which the %s is lost', (what) => {
  it('leaves one holder at most, and nothing behind, when the old session ends before it is repeated', async () => {
    const { backend, proxy } = await behindProxy();
    const rival = await fixture.backend();
    const claim = claimOf(backend, fresh(), { leaseMs: 1_500 });
    const next = claimOf(rival, claim.resource);
    await backend.leases.claim(claim);
    expect((await rival.leases.claim(next)).kind).toBe('refused');
    if (what === 'reply') proxy.dropReplies();
    else proxy.dropRequests();
    const renewal = [{ ...claim, leaseMs: 4_000, keepMs: 0 }];
    expect(await backend.leases.renew(renewal)).toEqual(['unknown']);
    const others = async (): Promise<string[]> =>
      (await fixture.admin.entries(claim.resource)).filter(
        (name) => !name.includes(encodeURIComponent(next.id)),
      );
    // Moved, it lives by the longer session, which no reply has confirmed; else it ends with the shorter one.
    const [entry] = await others();
    expect(entry!.includes(';4000;')).toBe(what === 'reply');
    proxy.dropRequests();
    // The session of the shorter lease is over, that of the longer one is not.
    await sleep(3_000);
    expect(await others()).toHaveLength(what === 'reply' ? 1 : 0);
    const isRivals = async (): Promise<boolean> =>
      (await rival.leases.claim(again(rival, next))).kind === 'granted';
    expect(await isRivals()).toBe(what === 'request');
    proxy.dropReplies(false);
    proxy.dropRequests(false);
    proxy.cut();
    await eventually(
      'the rival is granted it',
      unlessUnavailable(async () => {
        const isGranted = await isRivals();
        const [outcome] = await backend.leases.renew(renewal);
        expect([outcome, isGranted]).not.toEqual(['renewed', true]);
        return isGranted;
      }),
    );
    await eventually(
      'contact is back',
      unlessUnavailable(async () => (await backend.ping()) > 0),
    );
    expect(await backend.leases.renew(renewal)).toEqual(['lost']);
    expect(await rival.leases.renew([{ ...next, keepMs: 0 }])).toEqual(['renewed']);
    await rival.leases.withdraw(next, FREE);
    expect(await fixture.admin.entries(claim.resource)).toEqual([]);
  });
});

it('a release whose reply is lost is repeated until it is confirmed', async () => {
  const { backend, proxy } = await behindProxy();
  const claim: Claim = claimOf(backend, fresh());
  await backend.leases.claim(claim);
  proxy.dropReplies();
  await unanswered(backend.leases.withdraw(claim, FREE));
  proxy.dropReplies(false);
  proxy.cut();
  await eventually(
    'it is confirmed',
    unlessUnavailable(async () => (await backend.leases.withdraw(claim, FREE)) === 'absent'),
  );
  expect(await fixture.admin.entries(claim.resource)).toEqual([]);
});
