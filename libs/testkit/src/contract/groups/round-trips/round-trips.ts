import assert from 'node:assert/strict';
import type { Bedrock } from 'bedrock-lock';
import type { ContractContext } from '../../context/contract-context.js';
import type { ContractGroup } from '../../context/contract-group.js';
import type {
  CostRange,
  CountedPrimitive,
  RequestMeter,
  RoundTripStep,
  StepCosts,
} from '../../context/request-meter.js';
import { RequestCount, type Requests } from './request-count.js';
import { STEPS } from './steps.js';
import { USAGES } from './usages.js';

/**
 * Rounds of each step, at least. The fewest requests that several rounds agree on count: in others those of the background
 * come on top, and one may lack a request that was in flight when the round began.
 */
const ROUNDS = 6;
const AGREEING_ROUNDS = 2;
/** Rounds at most, where the background has disturbed all before: a step that sends more than the table says never gets there. */
const MOST_ROUNDS = 40;

/** The promise about each primitive. */
const PROMISES: Readonly<Record<CountedPrimitive, string>> = {
  mutex: 'of a mutex are as many as the table says',
  fairMutex: 'of a fair mutex are as many as the table says',
  multiLock: 'of two locks at once are as many as the table says',
  readLock: 'of a read lock are as many as the table says',
  writeLock: 'of a write lock are as many as the table says',
  semaphore: 'of a semaphore are as many as the table says',
  countdownLatch: 'of a countdown latch are as many as the table says',
  countingSemaphore: 'of a counting semaphore are as many as the table says',
  expirableSemaphore: 'of a semaphore whose permits expire are as many as the table says',
  idempotency: 'of a request that runs once are as many as the table says',
};

/** Round trips of these primitives. */
export function roundTripsOf(primitives: readonly CountedPrimitive[]): ContractGroup {
  return Object.fromEntries(
    primitives.map((primitive) => [
      PROMISES[primitive],
      (context: ContractContext) => compareWithTable(context, primitive),
    ]),
  );
}

async function compareWithTable(context: ContractContext, primitive: CountedPrimitive): Promise<void> {
  const costs: StepCosts = context.harness.roundTrips!.costs[primitive] ?? {};
  const peers: Bedrock[] = [];
  try {
    for (let i = 0; i < 2; i += 1) peers.push(await countedPeer(context));
    const counted = await countSteps(context, peers, primitive);
    const known = Object.entries(counted).map(([step, requests]) => {
      const cost = costs[step as RoundTripStep];
      return [step, isWithin(requests, cost) ? cost : requests];
    });
    assert.deepEqual(Object.fromEntries(known), costs, `requests of ${primitive}: counted, and by the table`);
  } finally {
    await Promise.all(peers.map((peer) => peer.close({ graceMs: 0 })));
  }
}

/** A process whose leases are not renewed while it is tried. */
async function countedPeer(context: ContractContext): Promise<Bedrock> {
  const backend = await context.harness.roundTrips!.backend();
  const peer = context.bedrockOn(backend, { defaults: { leaseMs: 20_000 } });
  await peer.ready();
  return peer;
}

async function countSteps(
  context: ContractContext,
  peers: readonly Bedrock[],
  primitive: CountedPrimitive,
): Promise<Partial<Record<RoundTripStep, number>>> {
  const usage = USAGES[primitive];
  const meter = context.harness.roundTrips!;
  const count = new RequestCount(context, meter, peers);
  await count.calibrate(ROUNDS);
  const observer = await context.peer();
  const counted: Partial<Record<RoundTripStep, number>> = {};
  for (const [name, step] of Object.entries(STEPS) as [RoundTripStep, (typeof STEPS)[RoundTripStep]][]) {
    if (step.isIn?.(usage) === false) continue;
    const cost = meter.costs[primitive]?.[name];
    const { afterPolls = 0 }: Partial<CostRange> = typeof cost === 'object' ? cost : {};
    const round = async (at: number): Promise<Requests> => {
      const isNew = at === 0 || name === 'giveUp' || name === 'handOver' || usage.isUsedOnce === true;
      const resource = `${context.resource}:${name}:${isNew ? at : 0}`;
      const [one, other, seen] = [...peers, observer].map((peer) => ({ context, peer, name: resource }));
      if (isNew) await usage.prepare?.(one!);
      return step.run({ usage, one: one!, other: other!, observer: seen!, count, afterPolls });
    };
    counted[name] = await leastOf(round, meter, typeof cost === 'object' ? cost.most : cost);
  }
  return counted;
}

/**
 * The fewest requests that rounds agree on. Rounds in which server and backend count differently do not count: a driver
 * that prepares a statement sends one request more, once for each connection.
 */
async function leastOf(
  round: (at: number) => Promise<Requests>,
  { isReported = true }: RequestMeter,
  expected = Infinity,
): Promise<number> {
  const rounds: Requests[] = [];
  const counts: number[] = [];
  const leastAgreed = (): number =>
    Math.min(
      ...counts.filter((count) => counts.filter((other) => other === count).length >= AGREEING_ROUNDS),
    );
  const isEnough = (): boolean => counts.length >= ROUNDS && leastAgreed() <= expected;
  while (!isEnough() && rounds.length < MOST_ROUNDS) {
    const requests = await round(rounds.length);
    rounds.push(requests);
    if (requests.atServer === requests.reported || !isReported) counts.push(requests.atServer);
  }
  const differences = JSON.stringify(rounds);
  assert.ok(
    Number.isFinite(leastAgreed()),
    `no two rounds count alike, at the server and in \`Backend.commands\`: ${differences}`,
  );
  return leastAgreed();
}

function isWithin(requests: number, cost: number | CostRange | undefined): boolean {
  return typeof cost === 'object' && requests >= cost.least && requests <= cost.most;
}
