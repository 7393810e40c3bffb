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
  type Tale,
} from './hand-made.js';

/** What the checker must pass. */
export const GOOD: readonly Tale[] = [
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
  ['a stranger that got nowhere', [foreignWrite(1, 'withdraw', 'absent'), foreignWrite(2, 'renew', 'lost')]],
  [
    'a release that could not be confirmed',
    [acquired(0, 'a1', 50, 1), releasing(20, 'a1'), released(49, 'a1', 'unconfirmed')],
  ],
  ['locks without fencing', [...turn(0, 'a1', 10), ...turn(11, 'b1', 20)]],
  [
    'permits of a semaphore, up to as many as there are',
    [
      ...permitted(0, 'a1', 50, 2),
      ...permitted(10, 'b1', 20, 2),
      ...permitted(20, 'b2', 60, 1),
      ...permitted(20, 'c1', 30, 1),
      ...permitted(60, 'a2', 70, 4),
    ],
    { handOverMs: 5 },
  ],
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
