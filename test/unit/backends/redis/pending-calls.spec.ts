import { describe, expect, it } from '@jest/globals';
import { ManualClock } from 'bedrock-testkit';
import { PendingCalls } from '../../../../libs/lock/src/backends/redis/connection/pending-calls.js';
import type { ReplyHandler } from '../../../../libs/lock/src/backends/redis/connection/link.js';

const TIMEOUT_MS = 1_000;
const SILENCE_MS = 3_000;

function callsOf() {
  const clock = new ManualClock();
  const ends: string[] = [];
  let silences = 0;
  const calls = new PendingCalls(clock, TIMEOUT_MS, SILENCE_MS, () => (silences += 1));
  const ask = (name: string): ReplyHandler =>
    calls.begin({
      replied: (reply) => ends.push(`${name}: ${String(reply)}`),
      failed: ({ message }) => ends.push(`${name}: ${message}`),
    });
  return { clock, calls, ends, ask, silences: () => silences };
}

describe('the calls under way on one connection', () => {
  it('all end when the connection is gone, in the order of their sending', () => {
    const { calls, ends, ask } = callsOf();
    const [, second] = ['first', 'second', 'third', 'fourth'].map(ask);
    second!.replied('answer');
    calls.failAll(new Error('gone'));
    expect(ends).toEqual(['second: answer', 'first: gone', 'third: gone', 'fourth: gone']);
  });

  it('end when they are too old, and only those', async () => {
    const { clock, ends, ask } = callsOf();
    ['first', 'second', 'third'].map(ask);
    await clock.advance(TIMEOUT_MS / 2);
    const late = ask('late');
    await clock.advance(TIMEOUT_MS / 2 + 1);
    expect(ends).toEqual(
      ['first', 'second', 'third'].map((name) => expect.stringMatching(`${name}: .*no answer`)),
    );
    await clock.advance(TIMEOUT_MS / 2);
    expect(ends).toHaveLength(4);
    late.replied('dropped');
    expect(ends).toHaveLength(4);
  });

  it('end with the others when they begin while those fail; what comes later is another connection', () => {
    const { calls, ends, ask } = callsOf();
    calls.begin({ replied: () => undefined, failed: () => void ask('asked again') });
    ask('second');
    calls.failAll(new Error('gone'));
    expect(ends).toEqual(['second: gone', 'asked again: gone']);
    ask('next').replied('answer');
    expect(ends).toHaveLength(3);
  });

  it('report a silence once', async () => {
    const { clock, ask, silences } = callsOf();
    ask('first');
    await clock.advance(SILENCE_MS + 1);
    expect(silences()).toBe(1);
    await clock.advance(2 * SILENCE_MS);
    expect(silences()).toBe(1);
  });
});
