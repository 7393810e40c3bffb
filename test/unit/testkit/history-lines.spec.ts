import { Bedrock } from 'bedrock-lock';
import { memory } from 'bedrock-lock/memory';
import {
  checkHistory,
  formatHistory,
  HistoryRecorder,
  ManualClock,
  parseHistory,
  type HistoryEvent,
} from 'bedrock-testkit';
import { turn } from './hand-made.js';

describe('a history', () => {
  it('is written as JSON lines and read back the same', () => {
    const history = turn(0.25, 'a1', 10, 2 ** 50);
    const text = formatHistory(history);
    expect(text.trimEnd().split('\n')).toHaveLength(4);
    expect(parseHistory(text)).toEqual(history);
  });

  it.each(['not JSON', '{"kind":"acquired"}', 'null', '[]'])('is not made of %s', (line) => {
    expect(() => parseHistory(`\n${line}\n`)).toThrow('line 2 is no event');
  });

  it('is recorded by the clock of the machine, with renewals and losses', async () => {
    const events: HistoryEvent[] = [];
    const recorder = new HistoryRecorder('p', (event) => events.push(event));
    await using bedrock = new Bedrock({ backend: memory() });
    const unfollow = recorder.follow(bedrock);
    const lock = bedrock.mutex('r', { leaseMs: 600, maxHoldMs: 900 });
    const before = Number(process.hrtime.bigint()) / 1e6;
    const lease = await recorder.acquire('r', 1_000, () => lock.acquire());
    await new Promise((resolve) => lease!.signal.addEventListener('abort', resolve));
    expect(recorder.observe(lease!)).toBe(false);
    await recorder.release(lease!);
    unfollow();
    const recorded = events.filter(({ kind }) => kind !== 'stalled');
    const kinds = recorded.map(({ kind }) => kind);
    expect(kinds.slice(0, 3)).toEqual(['asked', 'acquired', 'renewed']);
    expect(kinds.slice(-4)).toEqual(['lost', 'seen', 'releasing', 'released']);
    expect(events[0]!.at - before).toBeLessThan(50);
    expect(checkHistory(events)).toMatchObject({ violations: [], leases: 1, lost: 1 });
  });

  it('counts the time to wait from the call, however long the write of the question takes', async () => {
    const events: HistoryEvent[] = [];
    const recorder = new HistoryRecorder('p', (event) => {
      for (const end = performance.now() + 400; event.kind === 'asked' && performance.now() < end;);
      events.push(event);
    });
    await using bedrock = new Bedrock({ backend: memory() });
    const unfollow = recorder.follow(bedrock);
    const lock = bedrock.mutex('r');
    await using _held = await lock.acquire();
    expect(await recorder.acquire('r', 400, () => lock.acquire({ waitMs: 400 }))).toBeUndefined();
    unfollow();
    recorder.record({ kind: 'ended', resource: 'r' });
    expect(events).toContainEqual(expect.objectContaining({ kind: 'failed', code: 'LOCK_WAIT_TIMEOUT' }));
    expect(checkHistory(events).violations).toEqual([]);
  });

  it('has a stall where it was measured, though the process is stopped again before it is reported', async () => {
    const events: HistoryEvent[] = [];
    const clock = new ManualClock();
    const recorder = new HistoryRecorder('p', (event) => events.push(event), clock);
    await using bedrock = new Bedrock({ backend: memory() });
    const unfollow = recorder.follow(bedrock);
    await clock.advance(20);
    clock.block(70);
    const measuredAt = clock.now();
    // The watchdog sets its next timer before it reports.
    const setTimer = clock.setTimer.bind(clock);
    clock.setTimer = (callback, ms) => {
      clock.setTimer = setTimer;
      clock.block(60);
      return setTimer(callback, ms);
    };
    await clock.advance(0);
    unfollow();
    expect(events).toMatchObject([{ kind: 'stalled', lateMs: 50 }]);
    expect(events[0]!.at).toBeCloseTo(measuredAt, 3);
  });

  it('has the failures of calls, by their code', async () => {
    const events: HistoryEvent[] = [];
    const recorder = new HistoryRecorder('p', (event) => events.push(event));
    await using bedrock = new Bedrock({ backend: memory() });
    const lock = bedrock.mutex('r');
    await using _held = await lock.acquire();
    expect(await recorder.acquire('r', 0, () => lock.acquire({ waitMs: 0 }))).toBeUndefined();
    expect(events).toMatchObject([{ kind: 'asked' }, { kind: 'failed', code: 'LOCK_BUSY' }]);
  });
});
