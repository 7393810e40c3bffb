import { Liveness, ManualClock } from 'bedrock-testkit';

function judge() {
  const clock = new ManualClock();
  const lines: string[] = [];
  return { clock, lines, liveness: new Liveness(clock, (line) => lines.push(line)) };
}

/** Takes so long, with the event loop free or blocked. */
async function taking({ clock, liveness }: ReturnType<typeof judge>, ms: number, stalledMs = 0) {
  return liveness.within('a hand-over', 100, async () => {
    await clock.advance(ms - stalledMs);
    clock.block(stalledMs);
    return 'done';
  });
}

describe('a bound on time', () => {
  it('holds for work that is in time, and gives its result', async () => {
    const ground = judge();
    expect(await taking(ground, 100)).toBe('done');
    expect(ground.lines).toEqual([]);
  });

  it('fails work that is too late while the event loop was free', async () => {
    await expect(taking(judge(), 101)).rejects.toThrow('too late: a hand-over took 101.0 ms, bound 100 ms');
  });

  it('is stretched by the stalls of this process, and says so', async () => {
    const ground = judge();
    // The watchdog looks every 20 ms, so it sees the stall from its next look on.
    await taking(ground, 300, 250);
    expect(ground.lines).toEqual([
      'liveness: a hand-over took 300.0 ms, bound 100 ms, stretched 3.40 times by stalls',
    ]);
  });

  it('is stretched by no more than the stalls', async () => {
    await expect(taking(judge(), 300, 150)).rejects.toThrow('too late');
  });

  it('fails as "machine too slow" where it would be stretched more than four times', async () => {
    await expect(taking(judge(), 450, 400)).rejects.toThrow('machine too slow to judge');
  });

  it('counts the stall in which something ends, though it is judged later', async () => {
    const { clock, lines, liveness } = judge();
    const timing = liveness.time(async () => {
      await clock.advance(25);
      clock.block(250);
    });
    await clock.advance(25);
    liveness.assertMedian('a hand-over', 100, [await timing]);
    expect(lines).toHaveLength(1);
  });

  it('leaves no timer behind once it is measured', async () => {
    const { clock, liveness } = judge();
    expect(clock.pendingTimers).toBe(0);
    await liveness.time(async () => expect(clock.pendingTimers).toBe(1));
    await liveness.eventually('it is so', () => true);
    expect(clock.pendingTimers).toBe(0);
  });

  it('is a bound on the median of several', () => {
    const { liveness } = judge();
    const timings = [10, 900, 20, 30, 800].map((to) => ({ from: 0, to }));
    liveness.assertMedian('a hand-over', 30, timings);
    expect(() => liveness.assertMedian('a hand-over', 29, timings)).toThrow(
      'too late: a hand-over took 30.0 ms',
    );
  });
});

describe('waiting for a fact', () => {
  it('ends when the condition holds', async () => {
    const { clock, liveness } = judge();
    let isSo = false;
    clock.setTimer(() => (isSo = true), 90);
    const waiting = liveness.eventually('it is so', () => isSo, 100);
    await clock.advance(100);
    await waiting;
    expect(isSo).toBe(true);
  });

  it('fails when it does not hold in time, and names it', async () => {
    const { clock, liveness } = judge();
    const waiting = expect(liveness.eventually('it is so', () => false, 100)).rejects.toThrow(
      'not within 100 ms: it is so',
    );
    await clock.advance(200);
    await waiting;
  });

  it('gives the time of a stall on top', async () => {
    const { clock, liveness } = judge();
    let isSo = false;
    const waiting = liveness.eventually('it is so', () => isSo, 100);
    await clock.advance(50);
    clock.block(200);
    await clock.advance(20);
    isSo = true;
    await clock.advance(20);
    await waiting;
    expect(isSo).toBe(true);
  });

  it('fails with the error of the condition', async () => {
    const { liveness } = judge();
    const broken = liveness.eventually('it is so', () => Promise.reject(new RangeError('two hold')));
    await expect(broken).rejects.toThrow(RangeError);
  });
});

describe('a failure', () => {
  it('is explained by the longest stall of this process', async () => {
    const { clock, lines, liveness } = judge();
    const act = async () => {
      await clock.advance(25);
      clock.block(120);
      await clock.advance(25);
      clock.block(250);
      throw new Error('too early');
    };
    await expect(liveness.explain('a promise', act)).rejects.toThrow('too early');
    expect(lines).toEqual(['liveness: a promise failed after 420 ms; longest stall of this process 235 ms']);
  });

  it('without a stall says so, and a success says nothing', async () => {
    const { lines, liveness } = judge();
    expect(await liveness.explain('a promise', async () => 'kept')).toBe('kept');
    await expect(liveness.explain('another', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(lines).toEqual(['liveness: another failed after 0 ms; longest stall of this process 0 ms']);
  });
});
