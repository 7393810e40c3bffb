import { checkHistory } from 'bedrock-testkit';
import { BAD } from './bad-histories.js';
import { GOOD } from './good-histories.js';
import { acquired, asked, failed, lost, turn } from './hand-made.js';

describe('checkHistory()', () => {
  for (const [title, history, bounds] of GOOD) {
    it(`passes ${title}`, () => {
      expect(checkHistory(history, bounds).violations).toEqual([]);
    });
  }

  for (const [title, rule, history, bounds] of BAD) {
    it(`catches ${title}, as ${rule}`, () => {
      const { violations } = checkHistory(history, bounds);
      expect(violations.map((violation) => violation.rule)).toEqual([rule]);
    });
  }

  it('judges events in any order', () => {
    const [, , shuffled] = BAD[0]!;
    expect(checkHistory([...shuffled].reverse()).violations).toHaveLength(1);
  });

  it('names both holders and how long they overlapped', () => {
    const [violation] = checkHistory([...turn(0, 'a1', 10, 1), ...turn(9, 'b1', 20, 2)]).violations;
    expect(violation).toEqual({
      rule: 'I1',
      at: 9,
      text: 'b1 (b) held "r" together with a1 (a) for 1.000 ms',
    });
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
      turns: { a: 1, b: 1 },
      failures: { LOCK_WAIT_TIMEOUT: 1 },
      longestWaitMs: 11,
      handOverMs: { p50: 3, p99: 3, max: 3 },
    });
  });
});
