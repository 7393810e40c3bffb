import type { Backend } from 'bedrock-lock';
import { MUTEX, type Claim } from 'bedrock-lock/backend';
import { memory } from 'bedrock-lock/memory';
import { FaultyBackend, ManualClock } from 'bedrock-testkit';

describe('the faulty backend', () => {
  let clock: ManualClock;
  let inner: Backend;
  let faulty: FaultyBackend;

  beforeEach(() => {
    clock = new ManualClock();
    inner = memory({ clock });
    faulty = new FaultyBackend(inner, { clock });
  });

  const claim = (id: string): Claim => ({
    ...{ id, resource: 'r', shape: MUTEX, queue: false, mayPush: false },
    ...{ leaseMs: 1_000, holdAtLeastMs: 0, tokens: 0, notAfter: clock.now() + 1_000 },
  });
  const holders = async (): Promise<string[]> => (await inner.leases.inspect('r', MUTEX)).map(({ id }) => id);

  it('passes on what it has no plan for, and records it', async () => {
    expect(await faulty.claim(claim('a'))).toEqual({ kind: 'granted', token: 0 });
    expect(faulty.callsOf('claim')).toMatchObject([{ verb: 'claim', at: 1_000, input: { id: 'a' } }]);
  });

  it('loses a request: nothing happened, and the caller cannot know', async () => {
    faulty.plan('claim', { kind: 'loseRequest' });
    await expect(faulty.claim(claim('a'))).rejects.toMatchObject({ executed: 'unknown' });
    expect(await holders()).toEqual([]);
  });

  it('loses a reply: it happened, and the caller cannot know', async () => {
    faulty.plan('claim', { kind: 'loseReply' });
    await expect(faulty.claim(claim('a'))).rejects.toMatchObject({ executed: 'unknown' });
    expect(await holders()).toEqual(['a']);
  });

  it('refuses: nothing happened, and the caller knows', async () => {
    faulty.plan('claim', { kind: 'refuse' });
    await expect(faulty.claim(claim('a'))).rejects.toMatchObject({ executed: 'no' });
  });

  it('uses its plans up in order, per verb', async () => {
    faulty
      .plan('inspect', { kind: 'refuse' }, 2)
      .plan('inspect', { kind: 'fail', error: new RangeError('no') });
    await expect(faulty.inspect('r', MUTEX)).rejects.toThrow('refused');
    expect((await faulty.claim(claim('a'))).kind).toBe('granted');
    await expect(faulty.inspect('r', MUTEX)).rejects.toThrow('refused');
    await expect(faulty.inspect('r', MUTEX)).rejects.toThrow(RangeError);
    expect(await faulty.inspect('r', MUTEX)).toHaveLength(1);
  });

  it('delays a request beyond the time-out, and executes it all the same', async () => {
    faulty.plan('claim', { kind: 'delay', requestMs: 1_500 });
    const answer = expect(faulty.claim({ ...claim('a'), notAfter: Infinity })).rejects.toMatchObject({
      executed: 'unknown',
    });
    await clock.advance(1_000);
    await answer;
    expect(await holders()).toEqual([]);
    await clock.advance(500);
    expect(await holders()).toEqual(['a']);
  });

  it('settles a call that hangs by its time-out', async () => {
    faulty.plan('withdraw', { kind: 'hang' });
    const answer = faulty.withdraw({ id: 'a', resource: 'r', shape: MUTEX }, { keepMs: 0, leaveQueue: true });
    const settled = expect(answer).rejects.toMatchObject({ executed: 'unknown' });
    await clock.advance(1_000);
    await settled;
  });

  it('executes twice what it doubles, and gives the first answer', async () => {
    let asked = 0;
    const counted = new FaultyBackend(
      { ...inner, leases: { ...inner.leases, inspect: async () => [`${++asked}`] as never } },
      { clock },
    );
    counted.plan('inspect', { kind: 'double' });
    expect(await counted.inspect('r', MUTEX)).toEqual(['1']);
    expect(asked).toBe(2);
  });

  it('gives the answer of the test where one is planned', async () => {
    faulty.plan('claim', { kind: 'answer', answer: { kind: 'stale' } });
    expect(await faulty.claim(claim('a'))).toEqual({ kind: 'stale' });
    expect(await holders()).toEqual([]);
  });

  it('keeps a fault for ever until it is healed', async () => {
    faulty.plan('inspect', { kind: 'refuse' }, Infinity);
    for (let i = 0; i < 3; i += 1) await expect(faulty.inspect('r', MUTEX)).rejects.toThrow('refused');
    faulty.heal();
    expect(await faulty.inspect('r', MUTEX)).toEqual([]);
  });

  it('hears no wake while it is deaf, and nothing at all when it is cut off', async () => {
    let wakes = 0;
    await faulty.watch('r', MUTEX, () => (wakes += 1));
    const wakeUp = async (id: string): Promise<void> => {
      await inner.leases.claim(claim(id));
      await inner.leases.withdraw({ id, resource: 'r', shape: MUTEX }, { keepMs: 0, leaveQueue: true });
    };
    await wakeUp('a');
    faulty.dropsWakes = true;
    await wakeUp('b');
    expect(wakes).toBe(1);
    faulty.cutOff();
    await expect(faulty.inspect('r', MUTEX)).rejects.toMatchObject({ executed: 'unknown' });
  });

  it('shows other traits than the backend inside', () => {
    const mute = new FaultyBackend(inner, { traits: { push: false } });
    expect([mute.traits.push, mute.traits.fencing]).toEqual([false, true]);
  });
});
