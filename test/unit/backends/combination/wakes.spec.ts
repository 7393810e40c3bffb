import type { Lease, Mutex } from 'bedrock-lock';
import { eventually, liveness, type Timing } from 'bedrock-testkit';
import { published } from '../redis/published-messages.js';
import { IDS, Nodes } from './fixture.js';

/** A waiter asks again after a second by itself: an earlier grant came by a wake. */
const PROMPTLY_MS = 500;
const nodes = new Nodes();

beforeAll(() => nodes.start(3));
afterEach(() => nodes.clean());
afterAll(() => nodes.stop());

/** A waiter asks when it comes and when it listens. The third question is the first that it asks by itself. */
const QUESTIONS = 3;

interface HandOver {
  readonly held: Lease;
  readonly waiter: Mutex;
  /** The node that refuses the waiter. */
  readonly refuser: string;
}

/** Hand-overs of one test: a node that stands still for a moment delays one of them. */
const HAND_OVERS = 3;

/** Releases to a waiter that has asked again by itself: how long that takes, and what the nodes tell meanwhile. */
async function handOver({
  held,
  waiter,
  refuser,
}: HandOver): Promise<{ readonly timing: Timing; readonly heard: readonly string[] }> {
  const asked = async () => (await nodes.scripts())[IDS.indexOf(refuser)]!;
  const before = await asked();
  const waiting = waiter.acquire({ waitMs: 5_000 });
  let timing: Timing | undefined;
  const heard = await heardAt(async () => {
    await eventually('the waiter asks by itself', async () => (await asked()) >= before + QUESTIONS);
    timing = await liveness.time(async () => {
      await held.release();
      await waiting;
    });
    await (await waiting).release();
  });
  return { timing: timing!, heard: heard.flat() };
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

/** Several hand-overs from one mutex to another; `prepare` runs while the lock is held. */
async function handOvers(
  holder: Mutex,
  { waiter, refuser }: Omit<HandOver, 'held'>,
  prepare: () => Promise<unknown> = async () => undefined,
) {
  const seen: Awaited<ReturnType<typeof handOver>>[] = [];
  for (let i = 0; i < HAND_OVERS; i += 1) {
    const held = await holder.acquire();
    await prepare();
    seen.push(await handOver({ held, waiter, refuser }));
  }
  liveness.assertMedian(
    'a hand-over',
    PROMPTLY_MS,
    seen.map(({ timing }) => timing),
  );
  return seen;
}

describe('a release of the left-most weight', () => {
  it('tells the process that stands in line, and no other', async () => {
    const [one, two] = [await nodes.bedrock(), await nodes.bedrock()];
    for (const { heard } of await handOvers(one.mutex('job'), { waiter: two.mutex('job'), refuser: 'a' })) {
      const wakes = heard.filter((message) => message.startsWith('bedrock_wake:'));
      expect(wakes.length).toBeGreaterThan(0);
      expect(new Set(wakes.map((message) => message.split(' ')[0])).size).toBe(1);
    }
  });

  it('tells the process that waits at a node to the right, where the left-most has lost the grant', async () => {
    const [one, two] = [await nodes.bedrock(), await nodes.bedrock()];
    const way = { waiter: two.mutex('job'), refuser: 'b' };
    await handOvers(one.mutex('job'), way, () => nodes.observer('a').del('job'));
  });
});

describe('a release where votes are counted', () => {
  it('tells every process that listens, since none stands in line', async () => {
    const [one, two] = [
      await nodes.bedrock({ strategy: 'majority' }),
      await nodes.bedrock({ strategy: 'majority' }),
    ];
    for (const { heard } of await handOvers(one.mutex('job'), { waiter: two.mutex('job'), refuser: 'a' }))
      expect(heard).toContain('redisson_lock__channel:{job} 0');
  });
});
