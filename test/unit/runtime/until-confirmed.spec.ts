import { describe, expect, it } from '@jest/globals';
import { ManualClock } from 'bedrock-testkit';
import { UntilConfirmed } from '../../../libs/lock/src/runtime/until-confirmed.js';

const RETRY_MS = { first: 20, longest: 100 };

/** One whose requests are counted. */
class Counted extends UntilConfirmed {
  count(work: Promise<unknown>): void {
    this.inFlight.begin();
    void work.finally(() => this.inFlight.end());
  }
}

function setUp() {
  const clock = new ManualClock({ now: 0 });
  const repeats = new Counted(clock, RETRY_MS);
  const sentAt: number[] = [];
  /** Answers from this instant on. */
  const answeringFrom = (upAt: number) => async (): Promise<string> => {
    sentAt.push(clock.now());
    if (clock.now() < upAt) throw new Error('no answer');
    return 'answer';
  };
  return { clock, repeats, sentAt, answeringFrom };
}

const always = (): boolean => true;

describe('a request without an answer', () => {
  it('is sent again after pauses that grow, until it is answered', async () => {
    const { clock, repeats, sentAt, answeringFrom } = setUp();
    const answer = repeats.repeat({ send: answeringFrom(300), mayRepeat: always });
    await clock.advance(1_000);
    expect(await answer).toBe('answer');
    expect(sentAt).toEqual([0, 20, 60, 140, 240, 340]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('is given up when a repetition is not worth it, before its pause', async () => {
    const { clock, repeats, sentAt, answeringFrom } = setUp();
    const pauses: number[] = [];
    const answer = repeats.repeat({
      send: answeringFrom(Infinity),
      mayRepeat: (_, pauseMs) => pauses.push(pauseMs) < 3,
    });
    await clock.advance(60);
    expect(await answer).toBeUndefined();
    expect([sentAt, pauses]).toEqual([
      [0, 20, 60],
      [20, 40, 80],
    ]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('fails with an error that no repetition can fix', async () => {
    const { repeats, sentAt, answeringFrom } = setUp();
    const answer = repeats.repeat({
      send: answeringFrom(Infinity),
      mayRepeat: () => {
        throw new Error('another type');
      },
    });
    await expect(answer).rejects.toThrow('another type');
    expect(sentAt).toEqual([0]);
  });

  it('is sent again after an answer that an earlier send may yet undo', async () => {
    const { clock, repeats, sentAt, answeringFrom } = setUp();
    const answer = repeats.repeat({
      send: answeringFrom(0),
      repeatAt: (_, at) => (at < 50 ? 50 : undefined),
      mayRepeat: always,
    });
    // Haste changes nothing: a request before that instant would decide as little.
    await clock.advance(10);
    repeats.hurry();
    await clock.advance(100);
    expect(await answer).toBe('answer');
    expect(sentAt).toEqual([0, 50]);
  });
});

describe('requests whose owner closes', () => {
  it('are waited for, with short pauses when that is asked for', async () => {
    const { clock, repeats, sentAt, answeringFrom } = setUp();
    repeats.count(repeats.repeat({ send: answeringFrom(190), mayRepeat: always }));
    await clock.advance(150);
    expect([repeats.pending, sentAt]).toEqual([1, [0, 20, 60, 140]]);
    repeats.hurry();
    const drained = repeats.drain(100);
    await clock.advance(40);
    await drained;
    expect(sentAt).toEqual([0, 20, 60, 140, 150, 170, 190]);
    expect(repeats.pending).toBe(0);
    expect(clock.pendingTimers).toBe(0);
  });

  it('are sent no more once the time for it is over', async () => {
    const { clock, repeats, sentAt, answeringFrom } = setUp();
    const answer = repeats.repeat({ send: answeringFrom(Infinity), mayRepeat: always });
    repeats.count(answer);
    const drained = repeats.drain(50);
    await clock.advance(50);
    await drained;
    expect(await answer).toBeUndefined();
    expect(await repeats.repeat({ send: answeringFrom(0), mayRepeat: always })).toBeUndefined();
    await clock.advance(1_000);
    expect(sentAt).toEqual([0, 20]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('leave no pause behind when their answer is lost after that', async () => {
    const { clock, repeats } = setUp();
    let lose = (): void => undefined;
    const answer = repeats.repeat({
      send: () => new Promise<never>((_, reject) => (lose = () => reject(new Error('no answer')))),
      mayRepeat: always,
    });
    repeats.stop();
    lose();
    expect(await answer).toBeUndefined();
    expect(clock.pendingTimers).toBe(0);
  });

  it('are over at once when nothing is in flight', async () => {
    const { repeats } = setUp();
    await repeats.drain(Infinity);
    expect(repeats.isStopped).toBe(true);
  });
});
