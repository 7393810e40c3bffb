import {
  LeadershipResignedError,
  LockLostError,
  LockNotHeldError,
  type LeaderElection,
  type LeaderTerm,
} from 'bedrock-lock';
import { Bench, deferred, track, type Tracked } from '../../engine/bench.js';
import { Body, ended } from './leader.js';

let bench: Bench;
let election: LeaderElection;
beforeEach(() => {
  bench = new Bench();
  election = bench.bedrock.leaderElection('r');
});
afterEach(() => bench.close());

describe('a term', () => {
  let campaign: Tracked<void>;

  it('ends with its body; the process stands again after a rest', async () => {
    const terms: LeaderTerm[] = [];
    const resigned = bench.told('leader.resigned');
    campaign = track(election.run((term) => terms.push(term)));
    await bench.clock.settle();
    expect([terms.length, election.isLeader]).toEqual([1, false]);
    expect(await bench.grants()).toEqual([]);
    expect(resigned).toMatchObject([{ resource: 'r', token: terms[0]!.token }]);
    await bench.clock.advance(999);
    expect(terms).toHaveLength(1);
    await bench.clock.advance(1);
    expect(terms).toHaveLength(2);
  });

  it('tells what its body has left behind that it is over', async () => {
    let left: LeaderTerm | undefined;
    track(election.run((term) => (left = term)));
    await bench.clock.settle();
    expect(left!.signal.reason).toBeInstanceOf(LeadershipResignedError);
    expect(() => left!.assertLeading()).toThrow(LockNotHeldError);
  });

  it('that fails gives leadership up and ends the campaign with its error', async () => {
    campaign = track(election.run(() => Promise.reject(new Error('body'))));
    await bench.clock.settle();
    expect(campaign.error).toMatchObject({ message: 'body' });
    expect(await bench.grants()).toEqual([]);
    expect(election.term).toBeUndefined();
    track(election.run(new Body().run));
    await bench.clock.settle();
    expect(election.isLeader).toBe(true);
  });

  it('that fails after its end is reported, and does not end the campaign', async () => {
    const failed = bench.told('leader.failed');
    let terms = 0;
    campaign = track(
      election.run(async (term) => {
        terms += 1;
        await ended(term);
        if (terms === 1) throw new Error('while cleaning up');
        throw term.signal.reason;
      }),
    );
    await bench.clock.settle();
    for (let i = 0; i < 2; i += 1) {
      await bench.rival.forceRelease();
      await bench.clock.advance(10);
    }
    expect(failed).toMatchObject([{ resource: 'r', error: { message: 'while cleaning up' } }]);
    expect([campaign.state, terms]).toEqual(['pending', 3]);
  });

  it('says by the clock that it is over, before any timer has run', async () => {
    const body = new Body();
    track(election.run(body.run));
    await bench.clock.settle();
    bench.clock.block(3_000);
    const [term] = body.terms;
    expect([election.isLeader, term!.isLeading, term!.remainingMs]).toEqual([false, false, 0]);
    expect(() => term!.assertLeading()).toThrow(LockLostError);
    expect(term!.signal.aborted).toBe(false);
  });
});

describe('resign()', () => {
  it('gives leadership to the first candidate in line, by message, when the body has ended', async () => {
    const body = deferred();
    const terms: LeaderTerm[] = [];
    track(
      election.run(async (term) => {
        terms.push(term);
        await ended(term);
        await body.opened;
      }),
    );
    await bench.clock.settle();
    const next = track(bench.rival.acquire({ waitMs: 60_000 }));
    await bench.clock.advance(10);
    expect(election.resign()).toBe(true);
    expect(election.isLeader).toBe(false);
    expect(terms[0]!.signal.reason).toBeInstanceOf(LeadershipResignedError);
    await bench.clock.advance(5_000);
    expect(next.state).toBe('pending');
    expect(await bench.grants()).toHaveLength(1);
    body.open();
    await bench.clock.settle();
    expect(next.value?.isHeld).toBe(true);
  });

  it('stands again after a rest', async () => {
    const body = new Body();
    track(election.run(body.run));
    await bench.clock.settle();
    election.resign();
    await bench.clock.advance(999);
    expect(body.terms).toHaveLength(1);
    await bench.clock.advance(1);
    expect(body.terms).toHaveLength(2);
  });

  it('is false when there is nothing to give up', async () => {
    expect(election.resign()).toBe(false);
    const body = deferred();
    track(election.run(() => body.opened));
    expect(election.resign()).toBe(false);
    await bench.clock.settle();
    expect([election.resign(), election.resign()]).toEqual([true, false]);
    body.open();
  });

  it('may be called by the body itself', async () => {
    const terms: LeaderTerm[] = [];
    track(
      election.run((term) => {
        terms.push(term);
        expect(election.resign()).toBe(true);
      }),
    );
    await bench.clock.advance(1_000);
    expect(terms).toHaveLength(2);
  });
});
