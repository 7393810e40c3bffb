import assert from 'node:assert/strict';
import type { Bedrock, LeaderElection, LeaderTerm } from 'bedrock-lock';
import type { ContractGroup } from '../../context/contract-group.js';
import type { ContractContext } from '../../context/contract-context.js';

/** By message, in ms. The sweep for a lost message runs after 600 ms at the earliest, and a lease ends far later. */
const BY_MESSAGE_MS = 500;

/** A process that leads whenever it is elected, until it is stopped. */
class Candidate {
  readonly election: LeaderElection;
  readonly terms: LeaderTerm[] = [];
  readonly #stopping = new AbortController();
  readonly #campaign: Promise<void>;

  constructor(
    context: ContractContext,
    readonly peer: Bedrock,
  ) {
    this.election = peer.leaderElection(context.resource, { restMs: 100 });
    const { signal } = this.#stopping;
    this.#campaign = this.election.run((term) => this.#lead(term), { signal });
  }

  static async of(context: ContractContext, label = 'candidate'): Promise<Candidate> {
    return new Candidate(context, await context.peer({ label }));
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#campaign;
  }

  async #lead(term: LeaderTerm): Promise<void> {
    this.terms.push(term);
    await new Promise((resolve) => term.signal.addEventListener('abort', resolve));
  }
}

async function leading(context: ContractContext, candidates: readonly Candidate[]): Promise<Candidate> {
  let leaders: Candidate[] = [];
  await context.eventually('one leads', () => {
    leaders = candidates.filter(({ election }) => election.isLeader);
    assert.ok(leaders.length <= 1, 'two lead at once');
    return leaders.length === 1;
  });
  return leaders[0]!;
}

export const leadership: ContractGroup = {
  'is with one process at a time, and every process can say with which': async (context) => {
    const candidates = [await Candidate.of(context, 'first'), await Candidate.of(context, 'second')];
    const leader = await leading(context, candidates);
    const label = leader === candidates[0] ? 'first' : 'second';
    for (const { election } of candidates) {
      await context.eventually('it is known who leads', async () => {
        return (await election.leader())?.process?.label === label;
      });
    }
    await Promise.all(candidates.map((candidate) => candidate.stop()));
    await context.becomesEmpty();
  },

  'passes to the next by message when it is given up, and its token grows': async (context) => {
    const candidates = [await Candidate.of(context), await Candidate.of(context)];
    const tokens: number[] = [];
    for (let i = 0; i < 4; i += 1) {
      const leader = await leading(context, candidates);
      tokens.push(leader.election.term!.token);
      const next = candidates.find((candidate) => candidate !== leader)!;
      await context.waiting(next.peer, 1);
      await context.within('the hand-over', BY_MESSAGE_MS, () => {
        assert.equal(leader.election.resign(), true);
        return leading(context, [next]);
      });
      // The old leader stands again after its rest; until then, it could not follow the new one.
      await context.waiting(leader.peer, 1);
    }
    assert.deepEqual(tokens, [...new Set(tokens)].sort((one, other) => one - other)); // prettier-ignore
    await Promise.all(candidates.map((candidate) => candidate.stop()));
  },

  'passes to the next when the Bedrock of the leader closes': async (context) => {
    const candidates = [await Candidate.of(context), await Candidate.of(context)];
    const leader = await leading(context, candidates);
    const next = candidates.find((candidate) => candidate !== leader)!;
    await context.waiting(next.peer, 1);
    await leader.peer.close();
    await context.within('the hand-over', BY_MESSAGE_MS, () => leading(context, [next]));
    await next.stop();
  },

  'is lost when it is taken away, and won again in a new term': async (context) => {
    const candidate = await Candidate.of(context);
    await leading(context, [candidate]);
    const [first] = candidate.terms as [LeaderTerm];
    const other = await context.backend();
    await other.leases.revoke(context.resource, context.shape, 'now');
    await context.eventually('the loss is reported', () => first.signal.aborted);
    assert.equal((first.signal.reason as { code: string }).code, 'LOCK_LOST');
    await leading(context, [candidate]);
    assert.ok(candidate.terms.at(-1)!.token > first.token);
    await candidate.stop();
  },
};
