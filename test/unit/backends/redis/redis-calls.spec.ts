import { describe, expect, it } from '@jest/globals';
import { ManualClock } from 'bedrock-testkit';
import type { ReplyHandler } from '../../../../libs/lock/src/backends/redis/connection/link.js';
import { callsOn } from './calls-on.js';

const TIMEOUT_MS = 1_000;
const SILENCE_MS = 3_000;

function callsOf() {
  const clock = new ManualClock();
  const ends: string[] = [];
  let silences = 0;
  const { calls, sent } = callsOn(clock, {
    operationTimeoutMs: TIMEOUT_MS,
    silenceMs: SILENCE_MS,
    onSilence: () => (silences += 1),
  });
  const ask = (name: string): ReplyHandler => {
    calls.run('get', '', {
      replied: (reply) => ends.push(`${name}: ${String(reply)}`),
      failed: ({ message }) => ends.push(`${name}: ${message}`),
    });
    return sent.at(-1)!;
  };
  return { clock, calls, ends, ask, silences: () => silences };
}

describe('the calls in flight on one connection', () => {
  it('all end when the connection is gone, in the order of their sending', () => {
    const { calls, ends, ask } = callsOf();
    const [, second] = ['first', 'second', 'third', 'fourth'].map(ask);
    second!.replied('answer');
    calls.lose(new Error('gone'));
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

  it('are refused when they begin while those fail; what comes later is another connection', () => {
    const { calls, ends, ask } = callsOf();
    calls.run('get', '', { replied: () => undefined, failed: () => void ask('asked again') });
    ask('second');
    calls.lose(new Error('gone'));
    expect(ends).toEqual([expect.stringMatching(/^asked again: .*not connected/), 'second: gone']);
    calls.serve();
    ask('next').replied('answer');
    expect(ends).toHaveLength(3);
  });

  it('of a set-up end with the others, also when they begin while those fail', async () => {
    const { calls, ends, ask } = callsOf();
    const again = (): void =>
      void calls.setUp.call('ping', []).catch((error: Error) => ends.push(`set-up: ${error.message}`));
    calls.run('get', '', { replied: () => undefined, failed: again });
    ask('second');
    calls.lose(new Error('gone'));
    await Promise.resolve();
    expect(ends).toEqual(['second: gone', 'set-up: gone']);
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
