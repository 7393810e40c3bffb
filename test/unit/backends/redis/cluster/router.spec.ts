import { BackendUnavailableError } from 'bedrock-lock';
import { ManualClock } from 'bedrock-testkit';
import type { ClusterNode } from '../../../../../libs/lock/src/backends/redis/cluster/cluster-node.js';
import { Router } from '../../../../../libs/lock/src/backends/redis/cluster/router.js';
import type { Topology } from '../../../../../libs/lock/src/backends/redis/cluster/topology.js';
import { refusal } from '../../../../../libs/lock/src/backends/redis/connection/failures.js';

const TIMEOUT_MS = 300;

/** A router to one server, whose keys of the slot are on their way for ever. */
function routerTo(clock: ManualClock): Router {
  const node = { connection: { whenServing: () => Promise.resolve() } } as unknown as ClusterNode;
  const topology = { nodeOf: () => node } as unknown as Topology;
  return new Router(topology, clock, TIMEOUT_MS, undefined);
}

/** Lets the time of one operation pass, and a poll phase after it. */
async function letItEnd(clock: ManualClock): Promise<void> {
  await clock.advance(TIMEOUT_MS + 1);
}

function tryAgain(): Error {
  return refusal(new Error('TRYAGAIN Multiple keys request during rehashing of slot'));
}

describe('a slot whose keys are on their way for longer than one operation may take', () => {
  it.each([1, 26, 45])('is refused as not executed when each answer takes %s ms', async (answerMs) => {
    const clock = new ManualClock();
    const answer = (): Promise<never> =>
      new Promise((_, reject) => void clock.setTimer(() => reject(tryAgain()), answerMs));
    const startedAt = clock.now();
    let asked = 0;
    let endedAt = 0;
    const outcome = routerTo(clock)
      .follow(1, () => {
        asked += 1;
        return answer();
      })
      .catch((error: unknown) => error)
      .finally(() => (endedAt = clock.now()));
    await letItEnd(clock);
    await expect(outcome).resolves.toMatchObject({ code: 'BACKEND_UNAVAILABLE', executed: 'no' });
    expect(asked).toBeGreaterThan(3);
    expect(endedAt - startedAt).toBeGreaterThan(200);
  });

  it('is unavailable with an unknown result when an answer stays away', async () => {
    const clock = new ManualClock();
    let asked = 0;
    const outcome = routerTo(clock)
      .follow(1, () => (++asked === 1 ? Promise.reject(tryAgain()) : new Promise<never>(() => undefined)))
      .catch((error: unknown) => error);
    await letItEnd(clock);
    const error = await outcome;
    expect(error).toBeInstanceOf(BackendUnavailableError);
    expect(error).toMatchObject({ executed: 'unknown' });
  });
});
