import { READERS } from 'bedrock-lock/backend';
import { checkHistory, type HistoryEvent } from 'bedrock-testkit';
import { BAD } from './bad-histories.js';
import { GOOD } from './good-histories.js';
import { acquired, asked, failed, lost, permitted, stalled, turn } from './hand-made.js';

describe('checkHistory()', () => {
  for (const [title, history, limits] of GOOD) {
    it(`passes ${title}`, () => {
      expect(checkHistory(history, limits).violations).toEqual([]);
    });
  }

  for (const [title, invariant, history, limits] of BAD) {
    it(`catches ${title}, as ${invariant}`, () => {
      const { violations } = checkHistory(history, limits);
      expect(violations.map((violation) => violation.invariant)).toEqual([invariant]);
    });
  }

  it('judges events in any order', () => {
    const [, , shuffled] = BAD[0]!;
    expect(checkHistory([...shuffled].reverse()).violations).toHaveLength(1);
  });

  it('names both holders and how long they overlapped', () => {
    const [violation] = checkHistory([...turn(0, 'a1', 10, 1), ...turn(9, 'b1', 20, 2)]).violations;
    expect(violation).toEqual({
      invariant: 'I1',
      at: 9,
      text: 'b1 (b) held "r" together with a1 (a) for 1.000 ms',
    });
  });

  it('names the caller that took more permits than there are', () => {
    const [violation] = checkHistory([...permitted(0, 'a1', 10, 3), ...permitted(9, 'b1', 20, 2)]).violations;
    expect(violation!.text).toBe('b1 (b) brought the permits of "r" to 5 of 4');
  });

  it('counts the turns that begin while a caller waits', () => {
    const others = [...turn(1, 'a1', 2, 1), ...turn(3, 'c1', 4, 2), ...turn(5, 'a2', 6, 3)];
    const history = [...others, asked(2, 'b1'), acquired(7, 'b1', 50, 4), ...turn(8, 'a3', 9, 5)];
    expect(checkHistory(history).mostTurnsWaited).toBe(2);
  });

  it('counts no readers for a reader, who is kept out by writers alone', () => {
    const reads = { share: { units: 1, capacity: READERS } };
    const others = [
      acquired(1, 'a1', 50, 0, reads),
      acquired(2, 'a2', 50, 0, reads),
      acquired(3, 'a3', 50, 0, reads),
    ];
    const waiting = (facts?: typeof reads) => [asked(0, 'b1'), acquired(9, 'b1', 50, 1, facts)];
    const waited = (...history: HistoryEvent[]) => checkHistory(history).mostTurnsWaited;
    expect(waited(...others, ...waiting(reads))).toBe(0);
    expect(waited(...others, ...turn(5, 'w1', 6, 1), ...waiting(reads))).toBe(1);
    expect(waited(...others, ...waiting())).toBe(3);
  });

  it('names the caller that starves, beside stalls of at most three times the bound', () => {
    const others = Array.from({ length: 30 }, (_, i) => turn(i + 1, `a${i}`, i + 1.5, i + 1)).flat();
    const history = [...others, asked(0.5, 'b1'), acquired(40, 'b1', 50, 99)];
    const judged = (most: number, ...more: typeof history) =>
      checkHistory([...history, ...more], { turns: { most, inMs: 10 } }).violations.map(({ text }) => text);
    expect(judged(30)).toEqual([]);
    expect(judged(29)).toEqual([
      'b1 (b) waited for 30 turns of others, bound 29, stretched 1.00 times by stalls',
    ]);
    expect(judged(15, stalled(20, 'c', 10))).toEqual([]);
    expect(judged(14, stalled(20, 'c', 10))).toHaveLength(1);
    expect(judged(7, stalled(38, 'c', 37))).toHaveLength(1);
  });

  it('counts what happened', () => {
    const history = [
      ...turn(0, 'a1', 10, 1),
      asked(2, 'b1'),
      acquired(13, 'b1', 50, 2),
      lost(52, 'b1'),
      asked(0, 'a2', 5),
      failed(6, 'a2'),
    ];
    expect(checkHistory(history)).toEqual({
      violations: [],
      leases: 2,
      lost: 1,
      losses: ['b1 of b on r was over after 37 ms, of which its process was stalled 0: expired'],
      turns: { a: 1, b: 1 },
      failures: { LOCK_WAIT_TIMEOUT: 1 },
      longestWaitMs: 11,
      mostTurnsWaited: 0,
      handOverMs: { p50: 3, p99: 3, max: 3 },
    });
  });
});
