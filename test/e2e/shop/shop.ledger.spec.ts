import { describe, expect, it } from '@jest/globals';
import { breaches, type Ledger, type LedgerFlow, type LedgerOrder } from './shop.ledger.js';

const lines = [
  { goodsId: 'apple', quantity: 2 },
  { goodsId: 'pear', quantity: 1 },
];
const order: LedgerOrder = {
  id: 'o-1',
  requestKey: 'k-1',
  operationId: 'p-1',
  status: 'confirmed',
  reason: null,
  lines,
};
const flows: readonly LedgerFlow[] = lines.map((line) => ({ ...line, operationId: 'p-1', token: 5 }));
const right: Ledger = {
  goods: [
    { id: 'apple', start: 10, amount: 8 },
    { id: 'pear', start: 10, amount: 9 },
  ],
  orders: [order],
  flows,
};

/** Of the judge of the end-to-end tests: books that are wrong in one way each. */
describe('the judge of the books', () => {
  it('finds nothing wrong with right ones', () => {
    expect(breaches(right)).toEqual([]);
    const pending = { ...order, status: 'pending' };
    expect(breaches({ ...right, orders: [pending] })).toEqual([]);
    const untouched = right.goods.map((goods) => ({ ...goods, amount: goods.start }));
    const failed = { ...order, status: 'failed' };
    for (const one of [pending, failed])
      expect(breaches({ goods: untouched, orders: [one], flows: [] })).toEqual([]);
  });

  it.each<[string, Ledger, RegExp]>([
    [
      'stock that fell without a flow',
      { ...right, goods: [{ id: 'apple', start: 10, amount: 7 }] },
      /^apple: /,
    ],
    ['more sold than there was', { ...right, goods: [{ id: 'apple', start: 1, amount: -1 }] }, /^apple: /],
    [
      'a failed order with flows',
      { ...right, orders: [{ ...order, status: 'failed' }] },
      /^failed order o-1/,
    ],
    [
      'a confirmed order with a line that is missing',
      { goods: [right.goods[0]!], orders: [order], flows: [flows[0]!] },
      /^confirmed order o-1/,
    ],
    [
      'a pending order of which one line was deducted',
      { goods: [right.goods[0]!], orders: [{ ...order, status: 'pending' }], flows: [flows[0]!] },
      /^pending order o-1/,
    ],
    [
      'a line that was deducted twice',
      {
        goods: [{ id: 'apple', start: 10, amount: 6 }, right.goods[1]!],
        orders: [order],
        flows: [...flows, { ...flows[0]!, token: 6 }],
      },
      /^confirmed order o-1/,
    ],
    [
      'a flow without an order',
      { ...right, goods: [right.goods[0]!], orders: [], flows: [flows[0]!] },
      /^flow of p-1/,
    ],
    [
      'two orders of one key',
      { ...right, orders: [order, { ...order, id: 'o-2', operationId: 'p-2', status: 'failed' }] },
      /^two orders of the key k-1/,
    ],
    [
      'two at the same goods at a time',
      {
        goods: [{ id: 'apple', start: 10, amount: 6 }],
        orders: ['p-1', 'p-2'].map((operationId) => ({
          ...order,
          operationId,
          requestKey: operationId,
          lines: [lines[0]!],
        })),
        flows: [
          { ...flows[0]!, token: 6 },
          { ...flows[0]!, operationId: 'p-2', token: 5 },
        ],
      },
      /^apple: not one at a time/,
    ],
  ])('finds %s', (_name, ledger, breach) => {
    const found = breaches(ledger);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(breach);
  });
});
