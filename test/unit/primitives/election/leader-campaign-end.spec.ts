import type { LeaderElection } from 'bedrock-lock';
import { Bench, deferred, track } from '../../engine/bench.js';
import { Body, ended } from './leader.js';

let bench: Bench;
let election: LeaderElection;
beforeEach(() => {
  bench = new Bench();
  election = bench.bedrock.leaderElection('r');
});
afterEach(() => bench.close());

describe('the end of a campaign', () => {
  it('comes with its signal, whether it leads or waits, and nothing is left', async () => {
    for (const leads of [true, false]) {
      const held = leads ? undefined : await bench.rival.acquire();
      const controller = new AbortController();
      const body = new Body();
      const campaign = track(election.run(body.run, { signal: controller.signal }));
      await bench.clock.advance(10);
      expect(election.isLeader).toBe(leads);
      controller.abort(new Error('enough'));
      await bench.clock.settle();
      expect(campaign.state).toBe('fulfilled');
      if (leads) expect(body.terms[0]!.signal.reason).toMatchObject({ message: 'enough' });
      await held?.release();
      await bench.clock.advance(10);
      expect(await bench.grants()).toEqual([]);
      expect(bench.bedrock.stats()).toMatchObject({ resources: 0, waiters: 0, holds: 0 });
    }
  });

  it('comes at once with a signal that has aborted before', async () => {
    const body = new Body();
    await election.run(body.run, { signal: AbortSignal.abort() });
    expect(body.terms).toEqual([]);
    expect(bench.backend.callsOf('claim')).toEqual([]);
  });

  it('comes in the middle of a rest', async () => {
    const controller = new AbortController();
    const campaign = track(election.run(() => undefined, { signal: controller.signal }));
    await bench.clock.advance(500);
    controller.abort();
    await bench.clock.settle();
    expect(campaign.state).toBe('fulfilled');
  });

  it('comes when the Bedrock closes, which waits for the body and gives leadership up', async () => {
    const [body, resigned] = [deferred(), bench.told('leader.resigned')];
    const reasons: unknown[] = [];
    const campaign = track(
      election.run(async (term) => {
        await ended(term);
        reasons.push(term.signal.reason);
        await body.opened;
      }),
    );
    await bench.clock.settle();
    const closed = track(bench.bedrock.close());
    await bench.clock.advance(1_000);
    expect(reasons).toMatchObject([{ code: 'LOCK_CLOSED' }]);
    expect([closed.state, resigned.length]).toEqual(['pending', 0]);
    body.open();
    await bench.clock.advance(10);
    expect([closed.state, campaign.state, resigned.length]).toEqual(['fulfilled', 'fulfilled', 1]);
    expect(await bench.grants()).toEqual([]);
  });

  it('does not hold up the closing of the Bedrock beyond its grace period', async () => {
    const [body, lost] = [deferred(), bench.told('leader.lost')];
    const campaign = track(election.run(() => body.opened));
    await bench.clock.settle();
    const closed = track(bench.bedrock.close({ graceMs: 500 }));
    await bench.clock.advance(510);
    expect(closed.state).toBe('fulfilled');
    expect(lost).toMatchObject([{ reason: 'closed' }]);
    body.open();
    await bench.clock.advance(10);
    expect(campaign.state).toBe('fulfilled');
  });

  it('leaves no timer', async () => {
    const controller = new AbortController();
    const pending = bench.clock.pendingTimers;
    track(election.run(new Body().run, { signal: controller.signal }));
    await bench.clock.settle();
    controller.abort();
    await bench.clock.advance(30_000);
    expect(bench.clock.pendingTimers).toBe(pending);
  });
});
