import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Bedrock, LockEvents, NodeView } from 'bedrock-lock';
import { combination } from 'bedrock-lock/combination';
import { redis } from 'bedrock-lock/redis';
import { claimOf, eventually, FREE, liveness } from 'bedrock-testkit';
import { setTimeout as sleep } from 'node:timers/promises';
import { IDS, Nodes } from './fixture.js';

const nodes = new Nodes();
/** The same for all, as it has to be. */
const MAX_LEASE_MS = 1_500;
const NODE_TIMEOUT_MS = 150;
let bedrock: Bedrock;

beforeAll(() => nodes.start(3));
beforeEach(async () => {
  bedrock = await nodes.bedrock(
    { nodeTimeoutMs: NODE_TIMEOUT_MS, maxLeaseMs: MAX_LEASE_MS, probe: { lastMs: 200 } },
    { waitMs: 2_000 },
  );
});
afterEach(() => nodes.clean());
afterAll(() => nodes.stop());

function view(id: string): NodeView {
  return bedrock.nodes()[IDS.indexOf(id)]!;
}

function once<N extends keyof LockEvents>(name: N): Promise<LockEvents[N]> {
  return new Promise((resolve) => {
    const stop = bedrock.on(name, (payload) => {
      stop();
      resolve(payload);
    });
  });
}

describe('the view of the nodes', () => {
  it('shows them in the order of their ids, available, with their latency', async () => {
    await bedrock.mutex('lock').run(() => undefined);
    expect(bedrock.nodes()).toEqual(
      ['a', 'b', 'c'].map((id) => ({ id, isAvailable: true, lastLatencyMs: expect.any(Number) })),
    );
  });

  it('tells a node that hangs, since when and why, serves without it, and tells its return', async () => {
    const mutex = bedrock.mutex('lock');
    const gone = once('node.unavailable');
    const since = Date.now();
    nodes.server('b').pause();
    await mutex.run(() => undefined);
    await expect(gone).resolves.toMatchObject({ node: 'b' });
    expect(view('b')).toMatchObject({ isAvailable: false, lastError: { code: 'BACKEND_UNAVAILABLE' } });
    expect(view('b').unavailableSince).toBeGreaterThanOrEqual(since);
    // Known by now, it costs no time-out any more.
    await liveness.within('ten runs', 500, async () => {
      for (let i = 0; i < 10; i += 1) await mutex.run(() => undefined);
    });
    const back = once('node.available');
    nodes.server('b').resume();
    await expect(back).resolves.toMatchObject({ node: 'b' });
    expect(view('b').isAvailable).toBe(true);
    expect(view('b').unavailableSince).toBeUndefined();
  });

  it('finds out by a ping too, which a health check sends', async () => {
    nodes.server('b').pause();
    await bedrock.backend.ping();
    await eventually('the mark', () => !view('b').isAvailable);
    nodes.server('b').resume();
    await eventually('its end', () => view('b').isAvailable);
  });

  it('asks each once, also after a rest in which their clocks may have gone apart', async () => {
    const nodeTimeoutMs = 40;
    const one = await nodes.backend({ nodeTimeoutMs });
    const claim = claimOf(one, 'lock');
    await one.leases.claim(claim);
    await one.leases.withdraw(claim, FREE);
    // A hundredth of the rest is what a clock may be off by then.
    await sleep(1.2 * 100 * nodeTimeoutMs);
    const before = await nodes.scripts();
    await expect(one.leases.claim(claimOf(one, 'lock'))).resolves.toMatchObject({ kind: 'granted' });
    const asked = (await nodes.scripts()).map((count, i) => count - before[i]!);
    expect(Math.max(...asked)).toBe(1);
  });

  it('refuses when too few nodes answer, naming them, and serves again as soon as one is back', async () => {
    nodes.server('a').pause();
    nodes.server('c').pause();
    const mutex = bedrock.mutex('lock');
    await expect(mutex.acquire({ waitMs: 6 * NODE_TIMEOUT_MS })).rejects.toMatchObject({
      code: 'BACKEND_UNAVAILABLE',
      message: expect.stringMatching(/1 of 3 nodes granted, and 2 are needed \(a: .*c: /) as unknown,
    });
    await eventually('the rollback', async () => (await nodes.observer('b').exists('lock')) === 0);
    nodes.server('a').resume();
    await mutex.run(() => undefined);
  });

  it('takes back what all nodes granted when that took longer than an attempt may take', async () => {
    const impatient = await nodes.backend({ nodeTimeoutMs: 2_000, attemptTimeoutMs: 20 });
    nodes.server('a').pause();
    const claim = claimOf(impatient, 'lock', { leaseMs: 30_000 });
    const answer = expect(impatient.leases.claim(claim)).rejects.toMatchObject({
      code: 'BACKEND_UNAVAILABLE',
      message: expect.stringMatching(
        /3 of 3 nodes granted, but it took \d+ ms, more than attemptTimeoutMs \(20 ms\)$/,
      ) as unknown,
    });
    await sleep(100);
    nodes.server('a').resume();
    await answer;
    for (const id of IDS.slice(0, 3)) {
      await eventually('the rollback', async () => (await nodes.observer(id).exists('lock')) === 0);
    }
  });

  it('keeps a node that was restarted empty from granting for the longest lease', async () => {
    const quarantined = once('node.quarantined');
    nodes.crash('a');
    await nodes.server('a').restart();
    const mutex = bedrock.mutex('lock');
    await eventually('the quarantine', async () => {
      await mutex.run(() => undefined);
      return view('a').quarantinedUntil !== undefined;
    });
    await expect(quarantined).resolves.toMatchObject({ node: 'a' });
    expect(view('a')).toMatchObject({ id: 'a', isAvailable: false });
    expect(view('a').quarantinedUntil).toBeGreaterThan(Date.now());
    await eventually('its end', () => view('a').isAvailable, { withinMs: 4_000 });
    const lease = await mutex.acquire();
    expect(await nodes.observer('a').exists('lock')).toBe(1);
    await lease.release();
  });

  it('lets callers that wait for enough nodes ask as soon as these serve again, and not after their pause', async () => {
    for (const id of ['b', 'c']) {
      nodes.crash(id);
      await nodes.server(id).restart();
    }
    const mutex = bedrock.mutex('lock');
    await eventually('the quarantines', async () => {
      await mutex.tryAcquire().catch(() => undefined);
      return ['b', 'c'].every((id) => view(id).quarantinedUntil !== undefined);
    });
    // Pauses double from 50 ms: one of 800 ms is running when the quarantines end.
    await sleep(250);
    const serving = once('node.available');
    const acquiring = mutex.acquire({ waitMs: 5_000 });
    await serving;
    const lease = await liveness.within('the grant once enough nodes serve', 150, () => acquiring);
    await lease.release();
  });

  it('takes two ways to one server for one node', async () => {
    const { host, port } = nodes.server('a');
    const ways = ['a', 'b', 'c'].map((nodeId) => redis({ url: `redis://${host}:${port}`, nodeId }));
    const backend = combination({ nodes: ways, coldStart: 'trust' });
    await expect(backend.ready()).rejects.toMatchObject({ code: 'INVALID_OPTION', field: 'nodes' });
    await backend.close();
  });

  it('never counts one server twice, also where no other is left', async () => {
    const [a, b] = [nodes.server('a'), nodes.server('b')];
    const ways = [a, b, b].map(({ host, port }, i) =>
      redis({ url: `redis://${host}:${port}`, nodeId: IDS[i]! }),
    );
    const backend = combination({ nodes: ways, coldStart: 'trust', maxLeaseMs: MAX_LEASE_MS });
    await expect(backend.ready()).rejects.toMatchObject({ code: 'INVALID_OPTION' });
    const claim = claimOf(backend, 'lock', { leaseMs: 1_000 });
    await expect(backend.leases.claim(claim)).resolves.toMatchObject({ kind: 'granted' });
    await backend.leases.withdraw(claim, FREE);
    a.pause();
    const alone = claimOf(backend, 'lock', { leaseMs: 1_000 });
    for (let i = 0; i < 3; i += 1)
      await expect(
        backend.leases.claim({ ...alone, notAfter: performance.now() + 500 }),
      ).rejects.toMatchObject({
        code: 'BACKEND_UNAVAILABLE',
      });
    await backend.close();
  });
});

describe('a hold', () => {
  it('goes on when a node loses it, which is reported, and ends when too few have it', async () => {
    const mutex = bedrock.mutex('lock', { leaseMs: 1_000 });
    const lease = await mutex.acquire();
    const degraded = once('lease.degraded');
    await nodes.observer('a').flushall();
    await expect(degraded).resolves.toMatchObject({ resource: 'lock', node: 'a', nodes: 2, minNodes: 2 });
    expect(lease.isHeld).toBe(true);
    const lost = once('lease.lost');
    await nodes.observer('b').flushall();
    await expect(lost).resolves.toMatchObject({ resource: 'lock', reason: 'taken' });
    expect(lease.isHeld).toBe(false);
    await expect(lease.release()).resolves.toBe('lost');
    await eventually('the third', async () => (await nodes.observer('c').exists('lock')) === 0);
  });

  it('keeps its deadline when too few nodes confirm its renewal', async () => {
    const mutex = bedrock.mutex('lock', { leaseMs: 600 });
    const lease = await mutex.acquire();
    nodes.server('b').pause();
    nodes.server('c').pause();
    await liveness.within(
      'the loss',
      600 + 50,
      () => new Promise<void>((resolve) => bedrock.on('lease.lost', () => resolve())),
    );
    expect(lease.isHeld).toBe(false);
  });

  it('leaves nothing on any node after its release', async () => {
    const lease = await bedrock.mutex('lock').acquire();
    await expect(nodes.holders('lock')).resolves.toEqual([1, 2, 3].map(() => expect.any(String) as unknown));
    await lease.release();
    await eventually('the end', async () => (await nodes.holders('lock')).every((one) => one === undefined));
  });

  it('is taken back everywhere when one node refuses it', async () => {
    // Say, a process that saw the first two nodes as dead.
    await nodes.observer('c').hset('lock', 'somebody:1', '1');
    await expect(bedrock.mutex('lock').tryAcquire()).resolves.toBeNull();
    await eventually('the rollback', async () =>
      (await nodes.holders('lock')).slice(0, 2).every((one) => !one),
    );
    await nodes.observer('c').del('lock');
    await bedrock.mutex('lock').run(() => undefined);
  });
});

describe('tokens', () => {
  it('grow although each node counts for itself, and nodes come and go', async () => {
    const fenced = await nodes.bedrock({
      fencing: true,
      nodeTimeoutMs: NODE_TIMEOUT_MS,
      maxLeaseMs: MAX_LEASE_MS,
      probe: { lastMs: 50 },
    });
    const mutex = fenced.mutex('lock');
    // A node whose counter is far ahead.
    await nodes.observer('b').set('bedrock_token', String(Date.now() * 1_000 + 3_600_000_000));
    let last = 0;
    for (const away of ['none', 'a', 'b', 'c', 'b', 'a', 'none']) {
      if (away !== 'none') nodes.server(away).pause();
      for (let i = 0; i < 3; i += 1) {
        const lease = await mutex.acquire({ waitMs: 5_000 });
        expect(lease.token).toBeGreaterThan(last);
        last = lease.token;
        await lease.release();
      }
      if (away === 'none') continue;
      nodes.server(away).resume();
      await eventually('its return', () => fenced.nodes().every(({ isAvailable }) => isAvailable));
    }
  });
});
