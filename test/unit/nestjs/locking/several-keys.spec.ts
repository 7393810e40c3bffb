import { Injectable } from '@nestjs/common';
import { ExclusionChecker } from 'bedrock-testkit';
import { DistributedLock } from 'nestjs-bedrock';
import { bedrockOf, closeAll, errorOf, deferred, locksOf, start } from '../app.js';

afterEach(closeAll);

describe('as many locks as the call says', () => {
  interface Order {
    readonly goods: readonly string[];
  }

  @Injectable()
  class Shop {
    held: string[] = [];
    body: () => Promise<void> = async () => undefined;

    @DistributedLock({ lock: 'goods', keys: ({ goods }: Order) => goods })
    async deduct(_order: Order): Promise<void> {
      await this.body();
    }

    @DistributedLock({ lock: 'goods', keys: (pairs: [string, number][]) => pairs })
    async ofParts(_pairs: [string, number][]): Promise<void> {
      await this.body();
    }

    @DistributedLock({
      lock: 'goods',
      keys({ goods }: Order) {
        return goods.map((name) => (this as unknown as Shop).held[Number(name)]!);
      },
      onBusy: (error) => error.resource,
    })
    async skipping(_order: Order): Promise<unknown> {
      await this.body();
      return 'ran';
    }
  }

  const shop = async () => {
    const app = await start({ imports: [locksOf(['goods'])], providers: [Shop] });
    const events: string[] = [];
    const bedrock = bedrockOf(app);
    bedrock.bedrock().on('lease.granted', ({ resource }) => events.push(`+${resource}`));
    bedrock.bedrock().on('lease.released', ({ resource }) => events.push(`-${resource}`));
    return { shop: app.get(Shop), goods: bedrock.lock('goods'), events };
  };

  it('are taken in one order, each once, and given back in reverse', async () => {
    const { shop: it, events } = await shop();
    await it.deduct({ goods: ['pear', 'apple', 'pear', 'fig'] });
    expect(events).toEqual([
      '+goods:apple', '+goods:fig', '+goods:pear', '-goods:pear', '-goods:fig', '-goods:apple',
    ]); // prettier-ignore
  });

  it('never deadlock, whatever the order in which calls name them', async () => {
    const { shop: it } = await shop();
    const checker = new ExclusionChecker();
    it.body = () => checker.run(() => new Promise((resolve) => setImmediate(resolve)));
    const names = ['a', 'b', 'c'];
    const orders = Array.from({ length: 30 }, (_, i) => names.map((_name, j) => names[(i + j) % 3]!));
    await Promise.all(orders.map((goods) => it.deduct({ goods })));
    expect(checker.assertExclusion().leases).toBe(30);
  });

  it('keep those apart that name other entities', async () => {
    const { shop: it } = await shop();
    const [both, open] = [deferred(), deferred()];
    const checker = new ExclusionChecker(2);
    it.body = () =>
      checker.run(() => {
        if (checker.inside === 2) both.open();
        return open.opened;
      });
    const calls = [it.deduct({ goods: ['a', 'b'] }), it.deduct({ goods: ['c'] })];
    await both.opened;
    open.open();
    await Promise.all(calls);
  });

  it('take arrays of parts, which never run into each other', async () => {
    const { shop: it, events } = await shop();
    await it.ofParts([
      ['a:b', 1],
      ['a', 2],
    ]);
    expect(events.slice(0, 2)).toEqual(['+goods:a%3Ab:1', '+goods:a:2']);
  });

  it('are all given back when one cannot be acquired', async () => {
    const { shop: it, goods } = await shop();
    it.held = ['apple', 'pear'];
    await using _pear = await goods.for('pear').acquire();
    expect(await it.skipping({ goods: ['1', '0'] })).toBe('goods:pear');
    expect(await goods.for('apple').inspect()).toEqual([]);
  });

  it.each([[[]], [undefined], ['apple'], [{}], [new Set(['a'])]])(
    'are refused as no list of keys: %p',
    async (goods) => {
      const { shop: it, events } = await shop();
      const call = it.deduct({ goods: goods as never });
      await expect(call).rejects.toMatchObject({ code: 'INVALID_OPTION', field: 'keys' });
      expect(events).toEqual([]);
    },
  );

  it('are refused with a key that names nothing, and none is taken', async () => {
    const { shop: it, events } = await shop();
    await expect(it.deduct({ goods: ['a', undefined as never] })).rejects.toMatchObject({
      code: 'INVALID_OPTION',
    });
    expect(events).toEqual([]);
  });

  it('are an option of their own', () => {
    const both = { lock: 'goods', key: '{0}', keys: () => ['a'] };
    expect(errorOf(() => DistributedLock(both))).toMatchObject({ code: 'INVALID_OPTION', field: 'keys' });
  });
});
