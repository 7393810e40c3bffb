import { Bedrock, isLockError, multiLock, type Clock, type MultiLease } from 'bedrock-lock';
import { sleep } from 'bedrock-lock/integration';
import { memory, MemoryStore } from 'bedrock-lock/memory';
import {
  assertHistory,
  FaultyBackend,
  HistoryRecorder,
  ManualClock,
  type Fault,
  type HistoryEvent,
  type Verb,
} from 'bedrock-testkit';

const KEYS = ['a', 'b', 'c', 'd'];
const FAULTS: readonly Fault[] = [
  { kind: 'refuse' },
  { kind: 'loseRequest' },
  { kind: 'loseReply' },
  { kind: 'double' },
  { kind: 'hang' },
  { kind: 'delay', requestMs: 300 },
  { kind: 'delay', replyMs: 300 },
  { kind: 'delay', requestMs: 700, giveUpMs: 5 },
];
const VERBS: readonly Exclude<Verb, 'annotate'>[] = ['claim', 'claimAll', 'withdraw', 'renew', 'watch'];

function pick<T>(clock: Clock, from: readonly T[]): T {
  return from[Math.floor(clock.random() * from.length)]!;
}

/** Writes down what the bodies of one process hold, lock by lock. */
class Ledger {
  readonly #recorder: HistoryRecorder;

  constructor(label: string, bedrock: Bedrock, clock: Clock, history: HistoryEvent[]) {
    this.#recorder = new HistoryRecorder(label, (event) => history.push(event), clock);
    this.#recorder.follow(bedrock);
  }

  enter({ leases }: MultiLease): void {
    for (const { id, resource, token, validUntil, isHeld } of leases)
      if (isHeld)
        this.#recorder.record({ kind: 'acquired', resource, call: id, lease: id, token, validUntil });
  }

  leave({ leases }: MultiLease): void {
    for (const lease of leases) {
      this.#recorder.observe(lease);
      this.#recorder.record({ kind: 'releasing', resource: lease.resource, lease: lease.id });
    }
  }
}

async function contend(bedrock: Bedrock, clock: Clock, ledger: Ledger): Promise<void> {
  for (let i = 0; i < 6; i += 1) {
    const keys = KEYS.filter(() => clock.random() < 0.6);
    const wanted = (keys.length > 0 ? keys : ['a']).map((key) => bedrock.mutex('r').for(key));
    const multi = multiLock(clock.random() < 0.5 ? wanted : wanted.reverse());
    try {
      await multi.run(
        async (lease) => {
          ledger.enter(lease);
          await sleep(clock, clock.random() * 50);
          ledger.leave(lease);
        },
        { waitMs: pick(clock, [0, 200, 5_000]), leaseMs: pick(clock, [500, 3_000]) },
      );
    } catch (error) {
      // Busy, late, unavailable or lost: whatever it is, it is one of the library's own.
      if (!isLockError(error)) throw error;
    }
    await sleep(clock, clock.random() * 30);
  }
}

describe('multi-locks on a bad network', () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8])(
    'are held by one at a time, end, and leave nothing: seed %i',
    async (seed) => {
      const clock = new ManualClock({ seed });
      const store = new MemoryStore(clock);
      const backends = [1, 2].map(() => new FaultyBackend(memory({ store, clock }), { clock }));
      const bedrocks = backends.map((backend) => new Bedrock({ backend, clock }));
      const history: HistoryEvent[] = [];
      const callers = bedrocks.flatMap((bedrock, at) => {
        const ledger = new Ledger(`p${at}`, bedrock, clock, history);
        return Array.from({ length: 4 }, () => contend(bedrock, clock, ledger));
      });
      for (let i = 0; i < 60; i += 1) {
        for (const backend of backends) backend.plan(pick(clock, VERBS), pick(clock, FAULTS));
        await clock.advance(50);
      }
      for (const backend of backends) backend.heal();
      await clock.advance(120_000);
      await Promise.all(callers);
      expect(assertHistory(history).leases).toBeGreaterThan(10);
      expect(store.size).toBe(0);
      for (const bedrock of bedrocks) {
        expect(bedrock.stats()).toMatchObject({ resources: 0, waiters: 0, holds: 0, pendingWithdrawals: 0 });
        await bedrock.close();
      }
    },
  );
});
