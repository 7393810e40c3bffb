import { Bedrock } from 'bedrock-lock';
import { memory, MemoryStore } from 'bedrock-lock/memory';
import { FaultyBackend, ManualClock } from 'bedrock-testkit';
import { Bench, track } from '../bench.js';

/** Leases that end at every phase of the sweep, in ms. */
const LEASES_MS = Array.from({ length: 10 }, (_, i) => 2_000 + 100 * i);
/** How long the requests of the first waiter's process take when the lease ends, in ms. */
const PAUSE_MS = 500;
/** The pause begins so long before the end, in ms. */
const EARLY_MS = 100;

describe('order of arrival', () => {
  it.each(LEASES_MS)(
    'survives a pause of the first waiter at the end of a lease of %i ms',
    async (leaseMs) => {
      const clock = new ManualClock();
      const store = new MemoryStore(clock);
      const backend = new FaultyBackend(memory({ store, clock }), { clock });
      const first = new Bedrock({ backend, clock });
      const [holder, second] = [0, 1].map(() => new Bedrock({ backend: memory({ store, clock }), clock }));
      await holder!.fairMutex('r').acquire({ leaseMs, renew: false });
      const order: string[] = [];
      for (const [name, bedrock] of Object.entries({ first, second: second! })) {
        track(bedrock.fairMutex('r').run(() => void order.push(name)));
        await clock.advance(10);
      }
      await clock.advance(leaseMs - 20 - EARLY_MS);
      backend.plan('claim', { kind: 'delay', requestMs: PAUSE_MS }, Infinity);
      await clock.advance(PAUSE_MS);
      backend.heal();
      await clock.advance(5_000);
      expect(order).toEqual(['first', 'second']);
      await Promise.all([holder!, first, second!].map((bedrock) => bedrock.close({ graceMs: 0 })));
    },
  );

  it.each([
    ['a fair mutex asks', 'lease', 'fairMutex', [660, 330]],
    ['a fair mutex of a session does not ask', 'session', 'fairMutex', []],
    ['a mutex does not ask', 'lease', 'mutex', []],
  ] as const)('gives signs before the end of a lease: %s', async (_what, lifetime, primitive, expected) => {
    const bench = new Bench({ traits: { lifetime } });
    await bench.rival.acquire({ leaseMs: 3_000, renew: false });
    const endsAt = bench.clock.now() + 3_000;
    track(bench.bedrock[primitive]('r').acquire());
    await bench.clock.advance(2_999);
    const asked = bench.backend.callsOf('claim').map(({ at }) => endsAt - at);
    expect(asked.filter((ms) => ms === 660 || ms === 330)).toEqual(expected);
    await bench.close();
  });
});
