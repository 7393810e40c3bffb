import { LockLostError, type ClaimView, type LeaderElection, type LeaderTerm } from 'bedrock-lock';
import { Bench, deferred, OPERATION_MS, track } from '../../engine/bench.js';
import { Body } from './leader.js';

let bench: Bench;
let election: LeaderElection;
beforeEach(() => {
  bench = new Bench();
  election = bench.bedrock.leaderElection('r');
});
afterEach(() => bench.close());

describe('a campaign', () => {
  it('leads when no other candidate does, and says so', async () => {
    const [body, elected] = [new Body(), bench.told('leader.elected')];
    track(election.run(body.run));
    expect(election.isLeader).toBe(false);
    await bench.clock.settle();
    const [term] = body.terms;
    expect(election.isLeader).toBe(true);
    expect(election.term).toBe(term);
    expect(term!.isLeading).toBe(true);
    expect(term!.token).toBeGreaterThan(0);
    expect(elected).toMatchObject([{ resource: 'r', token: term!.token }]);
    await bench.clock.advance(60_000);
    expect(term!.isLeading).toBe(true);
    expect(term!.remainingMs).toBeGreaterThan(0);
  });

  it('waits for as long as another process leads', async () => {
    const held = await bench.rival.acquire();
    const body = new Body();
    track(election.run(body.run));
    await bench.clock.advance(60_000);
    expect(body.terms).toEqual([]);
    await held.release();
    await bench.clock.advance(10);
    expect(election.isLeader).toBe(true);
    expect(body.terms[0]!.token).toBeGreaterThan(held.token);
  });

  it('is elected again after a loss, with a greater token', async () => {
    const [body, lost] = [new Body(), bench.told('leader.lost')];
    track(election.run(body.run));
    await bench.clock.settle();
    await bench.rival.forceRelease();
    await bench.clock.advance(10);
    expect(body.terms).toHaveLength(2);
    const [first, second] = body.terms as [LeaderTerm, LeaderTerm];
    expect(first.signal.reason).toBeInstanceOf(LockLostError);
    expect([first.isLeading, second.isLeading]).toEqual([false, true]);
    expect(second.token).toBeGreaterThan(first.token);
    expect(lost).toMatchObject([{ resource: 'r', token: first.token, reason: 'taken' }]);
  });

  it('does not stand again before the body of the last term has ended', async () => {
    const body = deferred();
    const terms: LeaderTerm[] = [];
    track(
      election.run(async (term) => {
        terms.push(term);
        await body.opened;
      }),
    );
    await bench.clock.settle();
    await bench.rival.forceRelease();
    await bench.clock.advance(20_000);
    expect(terms).toHaveLength(1);
    expect(election.isLeader).toBe(false);
    expect(await bench.grants()).toEqual([]);
    body.open();
    await bench.clock.advance(10);
    expect(terms).toHaveLength(2);
  });

  it('reports a body that does not end, once per lease, until it does', async () => {
    const [body, overrun] = [deferred(), bench.told('leader.overrun')];
    track(election.run(() => body.opened));
    await bench.clock.settle();
    election.resign();
    await bench.clock.advance(2_999);
    expect(overrun).toEqual([]);
    await bench.clock.advance(3_001);
    expect(overrun).toMatchObject([{ resource: 'r', overdueMs: 3_000 }, { overdueMs: 6_000 }]);
    body.open();
    await bench.clock.advance(10);
    overrun.length = 0;
    await bench.clock.advance(3_500);
    expect(overrun).toEqual([]);
  });

  it('never runs two bodies at once, however often leadership is lost', async () => {
    const body = new Body();
    track(election.run(body.run));
    for (let i = 0; i < 10; i += 1) {
      await bench.clock.advance(50);
      await bench.rival.forceRelease();
    }
    await bench.clock.advance(50);
    expect(body.terms.length).toBeGreaterThan(5);
    body.witness.assertExclusion();
  });

  it('loses leadership at the end of its lease when the backend has gone, and wins it back when it is there again', async () => {
    const body = new Body();
    track(election.run(body.run));
    await bench.clock.settle();
    bench.backend.cutOff();
    await bench.clock.advance(3_000);
    expect(body.terms[0]!.signal.reason).toMatchObject({ code: 'LOCK_LOST', reason: 'expired' });
    const asked = bench.backend.callsOf('claim').length;
    await bench.clock.advance(60_000);
    expect(bench.backend.callsOf('claim').length - asked).toBeLessThan(70);
    bench.backend.heal();
    await bench.clock.advance(2 * OPERATION_MS);
    expect(body.terms).toHaveLength(2);
    expect(election.isLeader).toBe(true);
  });

  it('goes on when its Bedrock is made to fail fast', async () => {
    await bench.close();
    bench = new Bench({ defaults: { failFast: true, maxHoldMs: 100, waitMs: 10 } });
    bench.backend.plan('claim', { kind: 'refuse' }, 3);
    election = bench.bedrock.leaderElection('r');
    track(election.run(new Body().run));
    await bench.clock.advance(60_000);
    expect(election.isLeader).toBe(true);
  });

  it('goes on when too many wait for other locks just now', async () => {
    await bench.close();
    bench = new Bench({ maxWaitersPerProcess: 1 });
    const held = await bench.rival.for(1).acquire();
    const other = track(bench.lock().for(1).acquire());
    await bench.clock.settle();
    election = bench.bedrock.leaderElection('e');
    const campaign = track(election.run(new Body().run));
    await bench.clock.advance(10);
    await held.release();
    await bench.clock.advance(1_000);
    expect([other.state, campaign.state, election.isLeader]).toEqual(['fulfilled', 'pending', true]);
  });

  it('does not begin a term that is lost before it began', async () => {
    const body = new Body();
    let blocks = 1;
    bench.bedrock.on('lease.granted', () => {
      if (blocks-- > 0) bench.clock.block(10_000);
    });
    track(election.run(body.run));
    await bench.clock.advance(10);
    expect(body.terms).toHaveLength(1);
    expect(body.terms[0]!.remainingMs).toBeGreaterThan(2_000);
  });
});

describe('an election', () => {
  it('has one campaign at a time in a process', async () => {
    track(election.run(new Body().run));
    await expect(election.run(new Body().run)).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      field: 'onElected',
    });
  });

  it('refuses campaigns of a closed Bedrock', async () => {
    const closed = bench.bedrock.close();
    await expect(election.run(new Body().run)).rejects.toMatchObject({ code: 'LOCK_CLOSED' });
    await closed;
  });

  it('is no mutex: a name is one or the other', () => {
    expect(() => bench.bedrock.mutex('r')).toThrow(/leaderElection/);
    expect(bench.bedrock.leaderElection('r')).toBe(election);
    expect(() => bench.bedrock.leaderElection('r', { restMs: 5 })).toThrow(/restMs 1000/);
  });

  it('shows the leader', async () => {
    expect(await election.leader()).toBeUndefined();
    track(election.run(new Body().run));
    await bench.clock.settle();
    expect(await election.leader()).toMatchObject({ resource: 'r', process: { pid: process.pid } });
    bench.backend.plan('inspect', { kind: 'refuse' });
    await expect(election.leader()).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE', resource: 'r' });
  });

  it('tells observers of every change', async () => {
    const seen: (ClaimView | undefined)[] = [];
    const controller = new AbortController();
    const observing = track(
      (async () => {
        for await (const leader of election.observe({ everyMs: 100, signal: controller.signal }))
          seen.push(leader);
      })(),
    );
    await bench.clock.advance(1_000);
    expect(seen).toEqual([undefined]);
    const held = await bench.rival.acquire();
    await bench.clock.advance(100);
    bench.backend.plan('inspect', { kind: 'refuse' }, 3);
    await held.release();
    await bench.clock.advance(300);
    expect(seen).toHaveLength(2);
    await bench.clock.advance(100);
    expect(seen.map((leader) => leader !== undefined)).toEqual([false, true, false]);
    controller.abort();
    await bench.clock.settle();
    expect(observing.state).toBe('fulfilled');
  });

  it('ends its observers when the Bedrock closes', async () => {
    const observing = track(election.observe().next());
    await bench.clock.settle();
    expect(observing.state).toBe('fulfilled');
    const leaders = election.observe();
    await leaders.next();
    const last = track(leaders.next());
    const closed = bench.bedrock.close();
    await bench.clock.advance(10);
    await closed;
    expect(last.value).toEqual({ done: true, value: undefined });
  });
});
