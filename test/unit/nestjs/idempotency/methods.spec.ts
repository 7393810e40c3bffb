import { Body, Controller, Injectable, Post } from '@nestjs/common';
import { memory } from 'bedrock-lock/memory';
import { FaultyBackend } from 'bedrock-testkit';
import { BedrockLockModule, BedrockService, DistributedLock, Idempotent } from 'nestjs-bedrock';
import { closeAll, errorOf, deferred, locksOf, start, startError, until } from '../app.js';

afterEach(closeAll);

interface Order {
  readonly id: string;
  readonly shop?: string;
  readonly amount?: number;
}

const REGISTERED = { locks: ['stock'], idempotency: ['orders'] };

@Injectable()
class Orders {
  runs: unknown[] = [];
  wait: Promise<unknown> = Promise.resolve();

  @Idempotent({ idempotency: 'orders', key: '{0.id}' })
  async place(order: Order, note?: string) {
    this.runs.push(note ?? order.amount ?? order.id);
    await this.wait;
    return { order: order.id, run: this.runs.length };
  }

  @Idempotent({
    idempotency: 'orders',
    key: (order: Order) => order.id,
    scope: '{0.shop}',
    payload: (order: Order) => order.amount,
    waitMs: 5_000,
  })
  @DistributedLock({ lock: 'stock', key: '{0.id}' })
  async deduct(order: Order, _trace?: unknown) {
    this.runs.push(order.shop);
    await this.wait;
    return this.runs.length;
  }

  @Idempotent({ idempotency: 'orders', key: '{0}:{1}' })
  async pair(one: string, other: string) {
    return `${one}/${other}`;
  }

  @Idempotent({ idempotency: 'orders', key: '{0}-{1}' })
  async joined(one: string, other: string) {
    return `${one}/${other}`;
  }

  @Idempotent({ idempotency: 'orders', operation: 'orders.refund', key: '{0.id}' })
  async refund(_order: Order) {
    return 'refunded';
  }

  @Idempotent({ idempotency: 'orders', operation: 'orders.refund', key: '{0.id}' })
  async refundAgain(_order: Order) {
    return 'refunded again';
  }
}

describe('a method with @Idempotent()', () => {
  async function orders(backend = new FaultyBackend(memory())) {
    const imports = [
      BedrockLockModule.forRoot({ backend: () => backend, ...REGISTERED, shutdownGraceMs: 0 }),
    ];
    const app = await start({ imports, providers: [Orders] });
    return { app, backend, orders: app.get(Orders) };
  }

  it('runs once for each key, and gives the first result again', async () => {
    const { orders: shop } = await orders();
    expect(await shop.place({ id: 'a' })).toEqual({ order: 'a', run: 1 });
    expect(await shop.place({ id: 'a' })).toEqual({ order: 'a', run: 1 });
    expect(await shop.place({ id: 'b' })).toEqual({ order: 'b', run: 2 });
    await expect(shop.place({ id: 'a', amount: 7 })).rejects.toMatchObject({ code: 'IDEMPOTENCY_MISMATCH' });
    await expect(shop.place({ id: 'a' }, 'other')).rejects.toMatchObject({ code: 'IDEMPOTENCY_MISMATCH' });
    expect(shop.runs).toEqual(['a', 'b']);
  });

  it('takes key, scope and payload from functions and templates, and its locks within', async () => {
    const { orders: shop, backend } = await orders();
    const { open, opened } = deferred();
    shop.wait = opened;
    const order = { id: 'a', shop: 'x', amount: 1 };
    const calls = [
      shop.deduct(order),
      shop.deduct(order, { circular: shop }),
      shop.deduct({ ...order, shop: 'y' }),
    ];
    await until(() => shop.runs.length === 1);
    open();
    const [first, second, third] = await Promise.all(calls);
    expect(first).toBe(second);
    expect(third).not.toBe(first);
    expect(shop.runs.sort()).toEqual(['x', 'y']);
    expect(backend.callsOf('claim').length).toBeGreaterThan(0);
  });

  it('never takes two keys of several parts for one', async () => {
    const { orders: shop } = await orders();
    expect(await shop.pair('a:b', 'c')).toBe('a:b/c');
    expect(await shop.pair('a', 'b:c')).toBe('a/b:c');
  });

  it('never takes two keys of several values for one, though no colon is between them', async () => {
    const { orders: shop } = await orders();
    expect(await shop.joined('a-b', 'c')).toBe('a-b/c');
    expect(await shop.joined('a', 'b-c')).toBe('a/b-c');
    expect(await shop.joined('a%2Db', 'c')).toBe('a%2Db/c');
  });

  it('has keys of its own, unless it shares the name of its operation', async () => {
    const { orders: shop, app } = await orders();
    const view = app.get(BedrockService).idempotency('orders');
    expect(await shop.pair('a', 'b')).toBe('a/b');
    expect(await shop.joined('a', 'b')).toBe('a/b');
    expect(await view.inspect('["a","b"]', { operation: 'Orders.pair' })).toMatchObject({
      state: 'completed',
    });
    expect(await view.inspect('a-b', { operation: 'Orders.joined' })).toMatchObject({ state: 'completed' });
    expect(await view.inspect('a-b')).toBeUndefined();
    expect(await shop.refund({ id: 'a' })).toBe('refunded');
    expect(await shop.refundAgain({ id: 'a' })).toBe('refunded');
  });

  it('runs nothing where the store does not answer, and throws what the body throws', async () => {
    const { orders: shop, backend } = await orders();
    backend.plan('records.begin', { kind: 'refuse' });
    await expect(shop.place({ id: 'a' })).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE' });
    expect(shop.runs).toEqual([]);
    shop.wait = Promise.reject(new Error('out of stock'));
    await expect(shop.place({ id: 'a' })).rejects.toThrow('out of stock');
    shop.wait = Promise.resolve();
    expect(await shop.place({ id: 'a' })).toEqual({ order: 'a', run: 2 });
  });

  it('tells a bad key with the class, the method, the store and the argument', async () => {
    const { orders: shop } = await orders();
    await expect(shop.place({} as Order)).rejects.toThrow(
      /^Orders\.place\(\), idempotency "orders": key \{0\.id\} must be/,
    );
    await expect(shop.deduct({ id: 'a' })).rejects.toThrow(
      /^Orders\.deduct\(\), idempotency "orders": scope \{0\.shop\} must be/,
    );
    expect(shop.runs).toEqual([]);
  });

  it('keeps what other decorators said about it, and works on objects that were bound by hand', async () => {
    const { app } = await orders();
    expect(Orders.prototype.place).toHaveLength(2);
    expect(Orders.prototype.place.name).toBe('place');
    const bound = app.get(BedrockService).bind(new Orders());
    expect(await bound.place({ id: 'hand' })).toEqual({ order: 'hand', run: 1 });
    await expect(new Orders().place({ id: 'free' })).rejects.toMatchObject({ code: 'LOCK_UNBOUND' });
  });

  it('works on what a factory made', async () => {
    const imports = [locksOf(REGISTERED.locks, REGISTERED)];
    const app = await start({ imports, providers: [{ provide: 'made', useFactory: () => new Orders() }] });
    expect(await app.get<Orders>('made').place({ id: 'f' })).toEqual({ order: 'f', run: 1 });
  });
});

describe('@Idempotent() stops the start', () => {
  const why = (decorate: () => object) => {
    class Shop {
      async place(): Promise<void> {}
    }
    const descriptor = Object.getOwnPropertyDescriptor(Shop.prototype, 'place')!;
    (decorate() as MethodDecorator)(Shop.prototype, 'place', descriptor);
    Object.defineProperty(Shop.prototype, 'place', descriptor);
    return startError({ imports: [locksOf(REGISTERED.locks, REGISTERED)], providers: [Shop] });
  };

  it('where nothing is registered under its name', async () => {
    const error = await why(() => Idempotent({ idempotency: 'payments', key: 'k' }));
    expect(error).toMatchObject({ code: 'INVALID_OPTION', field: 'idempotency' });
    expect(error.message).toMatch(
      /^Shop\.place\(\): idempotency must be registered: add \{ name: 'payments' \} to the idempotency of/,
    );
  });

  it('where a lock has its name', async () => {
    const error = await why(() => Idempotent({ idempotency: 'stock', key: 'k' }));
    expect(error.message).toBe(
      `Shop.place(): idempotency must be registered: add { name: 'stock' } to the idempotency of BedrockLockModule.forRoot(), forRootAsync() or forFeature(); got "stock"`,
    );
  });

  it.each([
    ['', {}],
    [', though one of them names the backend', { backend: 'default' }],
  ])('where two methods do one operation, and not both say so%s', async (_how, more) => {
    const shops = ['Shop.place', undefined].map((operation) => {
      class Shop {
        async place(): Promise<void> {}
      }
      const descriptor = Object.getOwnPropertyDescriptor(Shop.prototype, 'place')!;
      const named = operation === undefined ? more : { operation };
      const decorate = Idempotent({ idempotency: 'orders', key: 'k', ...named }) as MethodDecorator;
      decorate(Shop.prototype, 'place', descriptor);
      Object.defineProperty(Shop.prototype, 'place', descriptor);
      return Shop;
    });
    const error = await startError({ imports: [locksOf(REGISTERED.locks, REGISTERED)], providers: shops });
    expect(error).toMatchObject({ code: 'INVALID_OPTION', field: 'operation' });
    expect(error.message).toMatch(
      /^Shop\.place\(\): operation must be given on both, since Shop\.place\(\) has/,
    );
  });

  it('where a method that is no HTTP handler has no key', async () => {
    const error = await why(() => Idempotent('orders'));
    expect(error).toMatchObject({ field: 'key' });
    expect(error.message).toMatch(
      /^Shop\.place\(\): key must be given on a method that is not an HTTP handler/,
    );
  });

  it('where an HTTP handler has a key in its arguments: what goes out is not the value of its body', async () => {
    @Controller()
    class Shop {
      @Post()
      @Idempotent({ idempotency: 'orders', key: '{0.id}' })
      async place(@Body() order: Order) {
        return order;
      }
    }
    const error = await startError({
      imports: [locksOf(REGISTERED.locks, REGISTERED)],
      controllers: [Shop],
    });
    expect(error).toMatchObject({ code: 'INVALID_OPTION', field: 'key' });
    expect(error.message).toMatch(/^Shop\.place\(\): key must be left out on an HTTP handler/);
  });
});

describe('a bad option of @Idempotent() is refused when the class is defined', () => {
  const LONG = 'x'.repeat(513);
  const rows: [string, unknown][] = Object.entries({
    options: [null, 5, [], true, { misspelt: 1 }],
    idempotency: [null, '', LONG, 'a\u0000', '{', 5, {}],
    backend: [null, '', LONG, 5],
    key: [null, 5, {}, '', LONG, '{', '{x}', 'a::b', 'a\r\n', '{0}{1}', '{0}4F{1}'],
    scope: [null, 5, {}, '', '{x}', { header: 'a b' }, { header: 'a', more: 1 }],
    operation: [null, '', LONG, 'o'.repeat(201), 'a\u0000', 5],
    payload: [null, 5, 'text', {}],
    waitMs: [null, NaN, -1, '5', 2 ** 31],
    header: [null, '', 'a b', 'a:b', 'x'.repeat(101), 5],
    required: [null, 0, 'true'],
    storeIf: [null, true, 500, 'x', {}],
    headers: [null, 'location', 5, {}, ['a b'], [5]],
  }).flatMap(([field, values]) => values.map((value): [string, unknown] => [field, value]));

  const define = (options: unknown) => {
    class Shop {
      @Idempotent(options as never)
      async place(): Promise<void> {}
    }
    return Shop;
  };

  it('with the class, the method and the store', () => {
    const error = errorOf(() => define({ idempotency: 'orders', key: '{order.id}' })) as Error;
    expect(error.message).toMatch(/^Shop\.place\(\), idempotency "orders": key must be a template/);
  });

  const OF_HEADERS = ['header', 'required', 'storeIf', 'headers'];

  it.each(rows)('%s: %p', (field, value) => {
    const key = OF_HEADERS.includes(field) ? {} : { key: 'k' };
    const options = field === 'options' ? value : { idempotency: 'orders', ...key, [field]: value };
    const error = errorOf(() => define(options)) as { code?: string; field?: string };
    expect(error).toMatchObject({ code: 'INVALID_OPTION' });
    expect(error.field!.split('.')[0]).toBe(field);
  });

  it.each([
    ['header', 'X-Key'],
    ['required', false],
    ['storeIf', () => true],
    ['headers', []],
  ])('%s beside a key in the arguments', (field, value) => {
    const options = { idempotency: 'orders', key: 'k', [field]: value };
    const error = errorOf(() => define(options));
    expect(error).toMatchObject({ code: 'INVALID_OPTION', field });
    expect((error as Error).message).toContain('left out when key is given');
  });

  it('anything but an instance method', () => {
    const on = (target: object, key: string) => () =>
      (Idempotent('orders') as MethodDecorator)(target, key, { value: undefined });
    expect(errorOf(on(Orders.prototype, 'runs'))).toMatchObject({ field: '@Idempotent()' });
    expect(errorOf(on(Orders, 'make'))).toMatchObject({ field: '@Idempotent()' });
  });
});
