import { checkHistory, type Bounds, type HistoryEvent, type Rule } from 'bedrock-testkit';
import {
  acquired,
  asked,
  ended,
  failed,
  lost,
  meddled,
  released,
  releasing,
  renewed,
  seen,
  stalled,
  turn,
} from './hand-made.js';

type Tale = readonly [title: string, history: readonly HistoryEvent[], bounds?: Bounds];

const GOOD: readonly Tale[] = [
  ['nothing at all', []],
  [
    'turns one after the other',
    [...turn(0, 'a1', 10, 1), ...turn(10, 'b1', 20, 2), ...turn(20, 'a2', 30, 3)],
  ],
  [
    'leases of different resources at the same time',
    [acquired(0, 'a1', 50, 1), lost(50, 'a1'), acquired(10, 'b1', 40, 1, { resource: 's' }), lost(40, 'b1')],
  ],
  ['a lease after another one ran out', [acquired(0, 'a1', 50, 1), lost(60, 'a1'), ...turn(50, 'b1', 70, 2)]],
  [
    'a holder that was killed: its lease simply ends',
    [asked(0, 'a1', 10), acquired(0, 'a1', 50, 1), seen(40, 'a1', true), ...turn(51, 'b1', 60, 2)],
  ],
  ['a caller that was killed while it waited', [asked(0, 'a1', 10), ...turn(0, 'b1', 500), ended(510, 'b')]],
  [
    'a holder that was renewed, and others after it',
    [
      acquired(0, 'a1', 50, 1),
      renewed(20, 'a1', 70),
      releasing(60, 'a1'),
      released(61, 'a1'),
      ...turn(62, 'b1', 70, 9),
    ],
  ],
  [
    'a stopped holder: woken, it sees that it holds nothing',
    [
      acquired(0, 'a1', 50, 1),
      ...turn(60, 'b1', 70, 2),
      stalled(300, 'a', 280),
      seen(300, 'a1', false),
      lost(301, 'a1'),
      releasing(302, 'a1'),
      released(302, 'a1', 'lost'),
      ended(303, 'a'),
    ],
  ],
  [
    'a lease that was over when its caller got it, with a token out of turn',
    [acquired(90, 'a1', 50, 1), lost(90, 'a1'), ...turn(60, 'b1', 100, 2)],
  ],
  ['an answer in time', [asked(0, 'a1', 100), failed(180, 'a1'), ended(200, 'a')]],
  ['an answer as late as the loop was', [asked(0, 'a1', 100), stalled(350, 'a', 200), failed(350, 'a1')]],
  ['a stranger that got nowhere', [meddled(1, 'withdraw', 'absent'), meddled(2, 'renew', 'lost')]],
  [
    'a release that could not be confirmed',
    [acquired(0, 'a1', 50, 1), releasing(20, 'a1'), released(49, 'a1', 'unconfirmed')],
  ],
  ['locks without fencing', [...turn(0, 'a1', 10), ...turn(11, 'b1', 20)]],
  [
    'a hand-over as quick as was asked for',
    [
      asked(0, 'b1'),
      ...turn(0, 'a1', 10, 1),
      acquired(14, 'b1', 99, 2),
      releasing(20, 'b1'),
      released(21, 'b1'),
    ],
    { handOverMs: 5 },
  ],
];

const BAD: readonly (readonly [
  title: string,
  rule: Rule,
  history: readonly HistoryEvent[],
  bounds?: Bounds,
])[] = [
  ['two at the same time', 'I1', [...turn(0, 'a1', 10, 1), ...turn(9, 'b1', 20, 2)]],
  ['two callers of one process at the same time', 'I1', [...turn(0, 'a1', 10, 1), ...turn(9, 'a2', 20, 2)]],
  ['a lease inside of another', 'I1', [...turn(0, 'a1', 100, 1), ...turn(40, 'b1', 50, 2)]],
  [
    'a lease that begins under one before the last',
    'I1',
    [...turn(0, 'a1', 100, 1), acquired(10, 'b1', 9, 0), lost(10, 'b1'), ...turn(60, 'c1', 120, 3)],
  ],
  ['a dead holder whose lease is not awaited', 'I1', [acquired(0, 'a1', 50, 1), ...turn(49, 'b1', 60, 2)]],
  [
    'a renewed holder that another one follows too early',
    'I1',
    [acquired(0, 'a1', 50, 1), renewed(20, 'a1', 80), ...turn(60, 'b1', 70, 2), lost(80, 'a1')],
  ],
  ['the same token twice', 'I2', [...turn(0, 'a1', 10, 7), ...turn(11, 'b1', 20, 7)]],
  [
    'a token that is smaller',
    'I2',
    [...turn(0, 'a1', 10, 7), ...turn(11, 'b1', 20, 9), ...turn(21, 'a2', 30, 8)],
  ],
  ['held at validUntil', 'I3', [acquired(0, 'a1', 50, 1), seen(50, 'a1', true), lost(51, 'a1')]],
  [
    'held after its release',
    'I3',
    [acquired(0, 'a1', 50, 1), releasing(20, 'a1'), released(21, 'a1'), seen(22, 'a1', true)],
  ],
  ['held after its loss', 'I3', [acquired(0, 'a1', 50, 1), lost(20, 'a1', 'taken'), seen(21, 'a1', true)]],
  [
    'held between its end and a renewal that came too late',
    'I3',
    [acquired(0, 'a1', 50, 1), seen(55, 'a1', true), renewed(60, 'a1', 99), lost(99, 'a1')],
  ],
  ['a loss that is told too late', 'I4', [acquired(0, 'a1', 50, 1), lost(101, 'a1')]],
  ['a loss that is never told', 'I4', [acquired(0, 'a1', 50, 1), ended(500, 'a')]],
  [
    'a loss that only the release finds',
    'I4',
    [acquired(0, 'a1', 50, 1), releasing(200, 'a1'), released(201, 'a1', 'lost')],
  ],
  [
    'a loss told too late by more than the loop was',
    'I4',
    [acquired(0, 'a1', 50, 1), stalled(120, 'a', 40), lost(160, 'a1')],
  ],
  ['a renewal after the loss', 'I4', [acquired(0, 'a1', 50, 1), lost(50, 'a1'), renewed(55, 'a1', 90)]],
  [
    'a renewal after the release',
    'I4',
    [acquired(0, 'a1', 50, 1), releasing(20, 'a1'), released(21, 'a1'), renewed(25, 'a1', 70)],
  ],
  [
    'hand-overs that take too long',
    'I5',
    [
      asked(0, 'b1'),
      ...turn(0, 'a1', 10, 1),
      acquired(90, 'b1', 99, 2),
      releasing(95, 'b1'),
      released(96, 'b1'),
    ],
    { handOverMs: 50 },
  ],
  ['a stranger that released the lock', 'I7', [meddled(1, 'withdraw', 'released')]],
  ['a stranger that renewed the lock', 'I7', [meddled(1, 'renew', 'renewed')]],
  [
    'a release after the end that says "released"',
    'I7',
    [acquired(0, 'a1', 50, 1), releasing(60, 'a1'), released(61, 'a1')],
  ],
  ['a call that never settled', 'I9', [asked(0, 'a1', 100), ended(90, 'a')]],
  ['a call without a bound that never settled', 'I9', [asked(0, 'a1'), ended(9_000, 'a')]],
  ['a call that settled too late', 'I9', [asked(0, 'a1', 100), failed(201, 'a1')]],
  [
    'a stall long before the deadline, taken as an excuse',
    'I9',
    [asked(0, 'a1', 100), stalled(60, 'a', 60), failed(230, 'a1')],
  ],
  ['a release that never settled', 'I9', [acquired(0, 'a1', 50, 1), releasing(10, 'a1'), ended(40, 'a')]],
  [
    'a release that took longer than it may',
    'I9',
    [acquired(0, 'a1', 900, 1), releasing(10, 'a1'), released(400, 'a1')],
    { releaseMs: 200 },
  ],
];

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
