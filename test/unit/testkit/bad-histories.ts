import type { HistoryLimits, HistoryEvent, Invariant } from 'bedrock-testkit';
import {
  acquired,
  asked,
  ended,
  failed,
  lost,
  foreignWrite,
  permitted,
  released,
  releasing,
  renewed,
  seen,
  stalled,
  turn,
} from './hand-made.js';

/** What the checker must catch, and as what. */
export const BAD: readonly (readonly [
  title: string,
  rule: Invariant,
  history: readonly HistoryEvent[],
  bounds?: HistoryLimits,
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
  [
    'more permits than there are',
    'I1',
    [...permitted(0, 'a1', 50, 2), ...permitted(10, 'b1', 40, 1), ...permitted(39, 'b2', 60, 2)],
  ],
  [
    'permits of a dead holder that are given out too early',
    'I1',
    [
      acquired(0, 'a1', 50, 0, { share: { units: 3, capacity: 4 } }),
      ...permitted(10, 'b1', 20, 1),
      ...permitted(49, 'b2', 60, 2),
    ],
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
  ['a loss that is reported too late', 'I4', [acquired(0, 'a1', 50, 1), lost(101, 'a1')]],
  ['a loss that is never reported', 'I4', [acquired(0, 'a1', 50, 1), ended(500, 'a')]],
  [
    'a loss that only the release finds',
    'I4',
    [acquired(0, 'a1', 50, 1), releasing(200, 'a1'), released(201, 'a1', 'lost')],
  ],
  [
    'a loss reported too late by more than the loop was',
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
  ['a stranger that released the lock', 'I7', [foreignWrite(1, 'withdraw', 'released')]],
  ['a stranger that renewed the lock', 'I7', [foreignWrite(1, 'renew', 'renewed')]],
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
