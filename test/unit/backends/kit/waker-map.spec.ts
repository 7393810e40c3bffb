import type { Wake } from '../../../../libs/lock/src/core/claim.js';
import { WakerMap } from '../../../../libs/lock/src/backends/kit/waker-map.js';

const WAKE: Wake = { claimId: 'p:1' };

let wakers: WakerMap;
let told: string[];

beforeEach(() => {
  wakers = new WakerMap();
  told = [];
});

const waker = (name: string) => (wake?: Wake) => void told.push(`${name} ${wake?.claimId ?? '-'}`);

describe('a map of wakers', () => {
  it('wakes all wakers of one key, and passes the wake on', () => {
    for (const name of ['a', 'b']) wakers.add('stock', waker(name));
    wakers.add('other', waker('c'));
    wakers.wake('stock', WAKE);
    wakers.wake('nobody waits here');
    expect(told).toEqual(['a p:1', 'b p:1']);
  });

  it('wakes those of every key', () => {
    wakers.add('stock', waker('a'));
    wakers.add('other', waker('b'));
    wakers.wakeAll();
    expect(told).toEqual(['a -', 'b -']);
  });

  it('counts each call for itself, and each removal once, also of one function', () => {
    const twice = waker('a');
    const [leave] = [wakers.add('stock', twice), wakers.add('stock', twice)];
    leave();
    leave();
    wakers.wake('stock');
    expect(told).toEqual(['a -']);
  });

  it('keeps no key without wakers, and says when the last one has left', () => {
    const leaves = ['a', 'b'].map((name) =>
      wakers.add('stock', waker(name), () => told.push(`${name} was last`)),
    );
    leaves[1]!();
    expect([wakers.size, told]).toEqual([1, []]);
    leaves[0]!();
    leaves[0]!();
    expect([wakers.size, told]).toEqual([0, ['a was last']]);
  });

  it('lets one that left say nothing about those that came after the last', () => {
    const leave = wakers.add('stock', waker('a'), () => told.push('last'));
    leave();
    wakers.add('stock', waker('b'));
    leave();
    wakers.wake('stock');
    expect(told).toEqual(['last', 'b -']);
  });

  it('wakes also those that an earlier waker removes meanwhile, and none twice that it adds', () => {
    const leave = [() => undefined as void];
    wakers.add('stock', () => {
      told.push('a');
      leave[0]!();
      wakers.add('stock', waker('late'));
    });
    leave[0] = wakers.add('stock', waker('b'));
    wakers.wake('stock');
    expect(told).toEqual(['a', 'b -']);
  });

  it('forgets all when it is cleared, without a word', () => {
    const leave = wakers.add('stock', waker('a'), () => told.push('last'));
    wakers.clear();
    wakers.wakeAll();
    leave();
    expect([wakers.size, told]).toEqual([0, []]);
  });
});
