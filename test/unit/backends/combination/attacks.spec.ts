import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Backend } from 'bedrock-lock';
import type { NodeChange } from 'bedrock-lock/backend';
import { combination } from 'bedrock-lock/combination';
import { redis } from 'bedrock-lock/redis';
import { claimOf, eventually, FREE, granted, liveness, refusalOf } from 'bedrock-testkit';
import { IDS, Nodes } from './fixture.js';

const nodes = new Nodes();

beforeAll(() => nodes.start(3));
afterEach(() => nodes.clean());
afterAll(() => nodes.stop());

function changesOf(backend: Backend): NodeChange[] {
  const changes: NodeChange[] = [];
  backend.nodes!.onChange((change) => changes.push(change));
  return changes;
}

/** The event loop stands still. */
function block(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end;);
}

describe('processes that ask at the same time', () => {
  it('give the lock to one of them, also when none of them waits', async () => {
    // Each is first at another node: asked all at once, they would refuse each other and neither would come back.
    const ways = { a: await nodes.wayTo('a'), b: await nodes.wayTo('b') };
    const one = await nodes.bedrock({ nodeTimeoutMs: 1_000, through: { b: ways.b } });
    const two = await nodes.bedrock({ nodeTimeoutMs: 1_000, through: { a: ways.a } });
    ways.a.delay(100, 'requests');
    ways.b.delay(100, 'requests');
    const leases = await Promise.all([one, two].map((bedrock) => bedrock.mutex('job').tryAcquire()));
    expect(leases.map((lease) => lease !== null)).toEqual([true, false]);
    await leases[0]!.release();
  });

  it('hear of the left-most node in their way, where they stand in line, whichever answers first', async () => {
    const holder = await nodes.backend();
    const wayToA = await nodes.wayTo('a');
    const waiter = await nodes.backend({ nodeTimeoutMs: 1_000, through: { a: wayToA } });
    await granted(holder, 'lock');
    wayToA.delay(100, 'replies');
    const { holder: view } = refusalOf(await waiter.leases.claim(claimOf(waiter, 'lock')));
    expect(view?.node).toBe('a');
  });
});

describe('two ways to one server', () => {
  it('count once in the very first attempt, before that is known', async () => {
    const a = nodes.server('a');
    const ways = IDS.slice(0, 2).map((nodeId) => redis({ url: `redis://${a.host}:${a.port}`, nodeId }));
    const c = redis({ url: `redis://${a.host}:${nodes.server('c').port}`, nodeId: 'c' });
    nodes.server('c').pause();
    const backend = combination({ nodes: [...ways, c], coldStart: 'trust', nodeTimeoutMs: 200 });
    await expect(backend.leases.claim(claimOf(backend, 'lock'))).rejects.toMatchObject({
      code: 'BACKEND_UNAVAILABLE',
      message: expect.stringContaining('1 of 3 nodes granted') as unknown,
    });
    await backend.close();
  });

  it('confirm a renewal once, when a connection comes to lead to another node', async () => {
    const wayToB = await nodes.wayTo('b');
    const backend = await nodes.backend({ nodeTimeoutMs: 200, through: { b: wayToB } });
    nodes.server('c').pause();
    const claim = await granted(backend, 'lock');
    await wayToB.refuse();
    Object.assign(wayToB, { targetPort: nodes.server('a').port });
    wayToB.cut();
    await wayToB.accept();
    await eventually('the move', () =>
      backend.nodes!.views()[1]!.lastError?.message.includes('the same server as a'),
    );
    await expect(backend.leases.renew([{ ...claim, keepMs: 0 }])).resolves.toEqual(['unknown']);
  });
});

describe('an event loop that stands still', () => {
  it('is no fault of the nodes: none is marked, and the waiter is served', async () => {
    const bedrock = await nodes.bedrock({ nodeTimeoutMs: 150 });
    const marked: string[] = [];
    bedrock.on('node.unavailable', ({ node }) => marked.push(node));
    for (const at of ['before the request', 'before the answer']) {
      const waiting = bedrock.mutex(at).acquire({ waitMs: 5_000 });
      if (at === 'before the answer') await new Promise((resolve) => setImmediate(resolve));
      block(500);
      const lease = await waiting;
      const released = lease.release();
      block(500);
      await expect(released).resolves.toBe('released');
    }
    expect(marked).toEqual([]);
  });
});

describe('a node that has lost what it knew', () => {
  it('grants nothing over connections that were there before, nor to a process that comes now', async () => {
    const one = await nodes.backend({ maxLeaseMs: 5_000 });
    const held = await granted(one, 'lock', { leaseMs: 5_000 });
    for (const observer of nodes.observers) await observer.flushall();
    const late = await nodes.backend({ maxLeaseMs: 5_000, coldStart: 'wait' });
    for (const backend of [late, one]) {
      await expect(backend.leases.claim(claimOf(backend, 'lock', { leaseMs: 100 }))).rejects.toMatchObject({
        code: 'BACKEND_UNAVAILABLE',
        message: expect.stringMatching(/0 of 3 .*quarantined/) as unknown,
      });
    }
    await expect(one.leases.renew([{ ...held, keepMs: 0 }])).resolves.toEqual(['lost']);
  });

  it('is found out when it was made a copy of another node, and a primary again', async () => {
    const [b, rules] = [nodes.observer('b'), { maxLeaseMs: 5_000, nodeTimeoutMs: 100 }];
    await nodes.observer('c').config('SET', 'repl-diskless-sync-delay', '0');
    const backend = await nodes.backend(rules);
    await b.replicaof(nodes.server('c').host, nodes.server('c').port);
    await eventually('the copy', async () => (await b.info('replication')).includes('master_link_status:up'));
    try {
      const claim = await granted(backend, 'lock', { leaseMs: 5_000 });
      // It has the grant of the other node, and may not answer for it.
      await eventually('its grant in the copy', async () => (await b.hlen('lock')) === 1);
      await expect(backend.leases.renew([{ ...claim, keepMs: 0 }])).resolves.toEqual(['renewed']);
    } finally {
      await b.replicaof('NO', 'ONE');
    }
    const other = await nodes.backend(rules);
    await granted(other, 'other');
    expect(other.nodes!.views()[1]!.quarantinedUntil).toBeGreaterThan(Date.now());
  });

  it('is reported once, however many renewals find it out', async () => {
    const backend = await nodes.backend();
    const changes = changesOf(backend);
    const ref = { ...(await granted(backend, 'lock')), keepMs: 0 };
    await nodes.observer('a').del('lock');
    await Promise.all([1, 2, 3].map(() => backend.leases.renew([ref])));
    expect(changes).toEqual([{ kind: 'degraded', node: 'a', resource: 'lock', nodes: 2, minNodes: 2 }]);
  });
});

describe('a node that is full', () => {
  it('does not come and go with each renewal of what it has', async () => {
    const backend = await nodes.backend({ probe: { firstMs: 60_000, lastMs: 60_000 } });
    const ref = { ...(await granted(backend, 'lock')), keepMs: 0 };
    const changes = changesOf(backend);
    await nodes.observer('b').config('SET', 'maxmemory', '1');
    await granted(backend, 'other');
    await expect(backend.leases.renew([ref])).resolves.toEqual(['renewed']);
    await nodes.observer('b').config('SET', 'maxmemory', '0');
    expect(changes).toMatchObject([{ kind: 'unavailable', node: 'b' }]);
  });
});

describe('answers that come too late', () => {
  it('leave no grant behind, on the node that gave it without being heard', async () => {
    const wayToB = await nodes.wayTo('b');
    const backend = await nodes.backend({ nodeTimeoutMs: 150, through: { b: wayToB } });
    wayToB.delay(250, 'replies');
    const claim = await granted(backend, 'lock');
    await eventually('the unheard grant', async () => (await nodes.observer('b').exists('lock')) === 1);
    await backend.leases.withdraw(claim, FREE);
    await eventually('the end', async () => (await nodes.holders('lock')).every((one) => one === undefined));
  });
});

describe('a closed combination', () => {
  const verbs: Record<string, (backend: Backend) => Promise<unknown>> = {
    ready: (backend) => backend.ready(),
    ping: (backend) => backend.ping(),
    claim: (backend) => backend.leases.claim(claimOf(backend, 'lock')),
    withdraw: (backend) => backend.leases.withdraw(claimOf(backend, 'lock'), FREE),
    watch: (backend) => backend.leases.watch('lock', claimOf(backend, 'lock').shape, () => undefined),
  };

  it.each(Object.keys(verbs))('says so to %s', async (name) => {
    const backend = nodes.unready();
    await backend.close();
    await backend.close();
    await expect(verbs[name]!(backend)).rejects.toMatchObject({
      code: 'BACKEND_UNAVAILABLE',
      message: expect.stringContaining('it is closed') as unknown,
    });
  });

  it('does not wait for a node that never answers, nor keeps a caller waiting for it', async () => {
    for (const id of ['a', 'b']) nodes.server(id).pause();
    const backend = nodes.unready();
    const ready = backend.ready();
    const closed = { message: expect.stringContaining('it is closed') as unknown };
    await liveness.within('closing', 500, () =>
      Promise.all([backend.close(), expect(ready).rejects.toMatchObject(closed)]),
    );
  });
});
