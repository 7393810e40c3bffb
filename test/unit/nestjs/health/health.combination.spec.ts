import { combination } from 'bedrock-lock/combination';
import { redis } from 'bedrock-lock/redis';
import { startRedis, type RunningServer } from 'bedrock-servers';
import { bedrockOf, closeAll } from '../app.js';
import { healthApp, untilSo, type HealthAnswer } from './health.js';

const MAX_LEASE_MS = 1_000;
const IDS = ['a', 'b', 'c'];

let servers: RunningServer[];
beforeEach(async () => {
  servers = await Promise.all(IDS.map(() => startRedis()));
});
afterEach(async () => {
  for (const server of servers) server.resume();
  await closeAll();
  await Promise.all(servers.map((server) => server.stop()));
});

/** An application on three nodes. @param idOf how they are called */
function app(idOf: (i: number) => { nodeId?: string } = (i) => ({ nodeId: IDS[i]! })) {
  const backend = () =>
    combination({
      nodes: servers.map(({ url }, i) => redis({ url, ...idOf(i) })),
      coldStart: 'trust',
      maxLeaseMs: MAX_LEASE_MS,
      nodeTimeoutMs: 1_000,
      probe: { lastMs: 100 },
    });
  return healthApp([{ name: 'a', leaseMs: 500, waitMs: 5_000 }], { backend });
}

const nodesOf = ({ locks }: HealthAnswer) => locks.backends['default']!.nodes!;

describe('GET /health with a combination', () => {
  it('is 200 and shows the nodes in their order, with their latency', async () => {
    const { app: running, ask } = await app();
    await bedrockOf(running)
      .lock('a')
      .run(() => undefined);
    const answer = await ask();
    expect(answer.status).toBe(200);
    expect(nodesOf(answer)).toEqual(
      IDS.map((id) => ({ id, isAvailable: true, latencyMs: expect.any(Number) as unknown })),
    );
  });

  it('is 200 while one of three is away, and tells which, since when and why; 503 while two are', async () => {
    const { app: running, ask } = await app();
    const lock = bedrockOf(running).lock('a');
    // A request for a lock finds out that a node is unavailable.
    const askAfterUse = async () => (await lock.run(() => undefined), ask());
    const before = Date.now();
    servers[1]!.kill('SIGKILL');
    const one = await untilSo(askAfterUse, (answer) => !nodesOf(answer)[1]!.isAvailable);
    expect(one.status).toBe(200);
    expect(nodesOf(one).map(({ isAvailable }) => isAvailable)).toEqual([true, false, true]);
    const { since, lastError } = nodesOf(one)[1]!;
    expect(Date.parse(since!)).toBeGreaterThanOrEqual(before);
    expect(lastError).toMatch(/^[A-Za-z ]+$/);
    expect(one.text).not.toContain('127.0.0.1');
    servers[0]!.kill('SIGKILL');
    const two = await untilSo(ask, ({ status }) => status === 503);
    expect(two.locks.backends['default']).toMatchObject({ status: 'down', nodes: [{ id: 'a' }, {}, {}] });
    expect(two.text).not.toContain('127.0.0.1');
  });

  it('tells until when a node that has lost its data grants nothing, and that it serves again', async () => {
    const { app: running, ask } = await app();
    const lock = bedrockOf(running).lock('a');
    servers[0]!.kill('SIGKILL');
    await servers[0]!.restart();
    const answer = await untilSo(
      async () => (await lock.run(() => undefined), ask()),
      (one) => nodesOf(one)[0]!.quarantinedUntil !== undefined,
    );
    expect(answer.status).toBe(200);
    const node = nodesOf(answer)[0]!;
    expect(node).toMatchObject({ id: 'a', isAvailable: false, lastError: 'QUARANTINED' });
    const until = Date.parse(node.quarantinedUntil!);
    expect(until).toBeGreaterThan(Date.parse(node.since!));
    expect(until).toBeLessThanOrEqual(Date.now() + MAX_LEASE_MS);
    const later = await untilSo(ask, (one) => nodesOf(one)[0]!.isAvailable);
    expect(nodesOf(later)[0]!.quarantinedUntil).toBeUndefined();
  });

  it('shows no address: nodes that have no other id go by their number', async () => {
    const { ask } = await app(() => ({}));
    const answer = await ask();
    expect(nodesOf(answer).map(({ id }) => id)).toEqual(['node 1', 'node 2', 'node 3']);
    for (const { host, port } of servers) {
      expect(answer.text).not.toContain(host);
      expect(answer.text).not.toContain(String(port));
    }
  });
});
