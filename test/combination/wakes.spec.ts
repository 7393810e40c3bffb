import { setTimeout as sleep } from 'node:timers/promises';
import type { Lease } from 'bedrock-lock';
import { published } from '../redis/ear.js';
import { Nodes } from './fixture.js';

/** A waiter asks again after a second by itself: what comes earlier was told. */
const PROMPTLY_MS = 500;
const nodes = new Nodes();

beforeAll(() => nodes.start(3));
afterEach(() => nodes.clean());
afterAll(() => nodes.stop());

/** Releases to somebody who has been waiting for a while: how long that takes, in ms, and what the nodes tell meanwhile. */
async function handOver(
  held: Lease,
  waiting: Promise<Lease>,
): Promise<{ readonly tookMs: number; readonly heard: readonly string[] }> {
  let tookMs = Infinity;
  const heard = await heardAt(async () => {
    // Longer than what is remembered of a refusal, so that the waiter has asked again by itself.
    await sleep(1_300);
    const releasedAt = performance.now();
    await held.release();
    const next = await waiting;
    tookMs = performance.now() - releasedAt;
    await next.release();
  });
  return { tookMs, heard: heard.flat() };
}

async function heardAt(act: () => Promise<unknown>): Promise<string[][]> {
  const heard: string[][] = [];
  await nodes.servers.reduce<() => Promise<unknown>>(
    (inner, { port }, i) =>
      async () =>
        void (heard[i] = await published(port, inner)),
    act,
  )();
  return heard;
}

describe('a release of the left-most weight', () => {
  it('tells the process that stands in line, and no other', async () => {
    const [one, two] = [await nodes.bedrock(), await nodes.bedrock()];
    const held = await one.mutex('job').acquire();
    const waiting = two.mutex('job').acquire({ waitMs: 5_000 });
    const { tookMs, heard } = await handOver(held, waiting);
    expect(tookMs).toBeLessThan(PROMPTLY_MS);
    const wakes = heard.filter((message) => message.startsWith('bedrock_wake:'));
    expect(wakes.length).toBeGreaterThan(0);
    expect(new Set(wakes.map((message) => message.split(' ')[0])).size).toBe(1);
  });

  it('tells who waits at a node to the right, where the left-most has lost the grant', async () => {
    const [one, two] = [await nodes.bedrock(), await nodes.bedrock()];
    const held = await one.mutex('job').acquire();
    await nodes.observer('a').del('job');
    const waiting = two.mutex('job').acquire({ waitMs: 5_000 });
    const { tookMs } = await handOver(held, waiting);
    expect(tookMs).toBeLessThan(PROMPTLY_MS);
  });
});

describe('a release where votes are counted', () => {
  it('tells everybody who listens, since nobody stands in line', async () => {
    const [one, two] = [
      await nodes.bedrock({ strategy: 'majority' }),
      await nodes.bedrock({ strategy: 'majority' }),
    ];
    const held = await one.mutex('job').acquire();
    const waiting = two.mutex('job').acquire({ waitMs: 5_000 });
    const { tookMs, heard } = await handOver(held, waiting);
    expect(tookMs).toBeLessThan(PROMPTLY_MS);
    expect(heard).toContain('redisson_lock__channel:{job} 0');
  });
});
