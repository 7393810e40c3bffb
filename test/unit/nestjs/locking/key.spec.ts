import { Injectable } from '@nestjs/common';
import { InvalidOptionError } from 'bedrock-lock';
import { currentLease, DistributedLock, LockKey } from 'nestjs-bedrock';
import { closeAll, locksOf, start } from '../app.js';

afterEach(closeAll);

interface Order {
  readonly id: string | number;
  readonly shop?: { readonly code: string } | null;
}

const resource = () => currentLease()!.resource;

@Injectable()
class Orders {
  readonly region = 'eu';

  @DistributedLock({ lock: 'order', key: '{0.id}' })
  async byId(_order: Order): Promise<string> {
    return resource();
  }

  @DistributedLock({ lock: 'order', key: 'shop-{0.shop.code}:{1}:all' })
  async byTemplate(_order: Order, _line: number | string): Promise<string> {
    return resource();
  }

  @DistributedLock({ lock: 'order', key: (order: Order, line?: number) => [order.id, line ?? 'none'] })
  async byFunction(_order: Order, _line?: number): Promise<string> {
    return resource();
  }

  @DistributedLock({
    lock: 'order',
    key(this: Orders) {
      return this.region;
    },
  })
  async byObject(): Promise<string> {
    return resource();
  }

  @DistributedLock('order')
  async byParameters(
    @LockKey() _line: number,
    _note: string,
    @LockKey('shop.code') @LockKey('id') _order: Order,
  ): Promise<string> {
    return resource();
  }

  @DistributedLock({ lock: 'order', key: '{0}' })
  async byTemplateNotParameter(_line: number, @LockKey() _note: string): Promise<string> {
    return resource();
  }

  @DistributedLock({ lock: 'order', key: '{0}' })
  async byValue(_value: unknown): Promise<string> {
    return resource();
  }

  @DistributedLock({ lock: 'order', key: '{1}' })
  async byRest(..._ids: string[]): Promise<string> {
    return resource();
  }

  @DistributedLock('order')
  async whole(): Promise<string> {
    return resource();
  }
}

const order: Order = { id: 7, shop: { code: 'x:1' } };

async function orders(): Promise<Orders> {
  const app = await start({ imports: [locksOf(['order'])], providers: [Orders] });
  return app.get(Orders);
}

describe('a key', () => {
  it('is a property of an argument', async () => {
    expect(await (await orders()).byId(order)).toBe('order:7');
  });

  it('is a template of several parts, with text, and what a value contains never separates parts', async () => {
    expect(await (await orders()).byTemplate(order, 3)).toBe('order:shop-x%3A1:3:all');
  });

  it('is what a function makes of the arguments', async () => {
    const service = await orders();
    expect(await service.byFunction(order, 2)).toBe('order:7:2');
    expect(await service.byFunction(order)).toBe('order:7:none');
  });

  it('may come from the object itself', async () => {
    expect(await (await orders()).byObject()).toBe('order:eu');
  });

  it('is made of the @LockKey() parameters in their order', async () => {
    expect(await (await orders()).byParameters(4, 'note', order)).toBe('order:4:x%3A1:7');
  });

  it('keeps the order of the parameters, in whatever order a compiler runs the decorators', async () => {
    class Any {
      async run(_a: string, _b: string): Promise<string> {
        return resource();
      }
    }
    LockKey()(Any.prototype, 'run', 0);
    LockKey()(Any.prototype, 'run', 1);
    const descriptor = Object.getOwnPropertyDescriptor(Any.prototype, 'run') as TypedPropertyDescriptor<
      Any['run']
    >;
    DistributedLock('order')(Any.prototype, 'run', descriptor);
    Object.defineProperty(Any.prototype, 'run', descriptor);
    const app = await start({ imports: [locksOf(['order'])], providers: [Any] });
    expect(await app.get(Any).run('a', 'b')).toBe('order:a:b');
  });

  it('of the decorator goes before the @LockKey() parameters', async () => {
    expect(await (await orders()).byTemplateNotParameter(4, 'note')).toBe('order:4');
  });

  it('may stand on a rest parameter', async () => {
    expect(await (await orders()).byRest('a', 'b')).toBe('order:b');
  });

  it('is not needed: then the whole lock is taken', async () => {
    expect(await (await orders()).whole()).toBe('order');
  });

  it('never lets different values meet', async () => {
    const service = await orders();
    const values = ['1', '1:2', '1%3A2', '{1}', 'a b', '*', '__proto__', 'redisson_lock__'];
    const resources = await Promise.all(values.map((value) => service.byValue(value)));
    expect(new Set(resources).size).toBe(values.length);
  });
});

describe('a key whose value is missing', () => {
  const bad: readonly (readonly [string, unknown])[] = [
    ['undefined', undefined],
    ['null', null],
    ['an empty text', ''],
    ['NaN', NaN],
    ['Infinity', Infinity],
    ['an object', {}],
    ['an array', ['1']],
    ['a function', () => '1'],
    ['a symbol', Symbol('1')],
    ['a text of a million characters', 'x'.repeat(1_000_000)],
    ['a lone surrogate', '\ud800'],
    ['an object with a toString that throws', { toString: () => { throw new Error('no'); } }],
  ]; // prettier-ignore

  it.each(bad)('refuses %s and does not run the method', async (_name, value) => {
    const service = await orders();
    const call = service.byValue(value);
    await expect(call).rejects.toThrow(InvalidOptionError);
    await expect(call).rejects.toThrow(/^Orders\.byValue\(\), lock "order": key /);
  });

  it('names the placeholder', async () => {
    const service = await orders();
    await expect(service.byId({} as Order)).rejects.toMatchObject({ field: 'key {0.id}' });
    await expect(service.byId(null as unknown as Order)).rejects.toThrow('key {0.id} must be');
    await expect(service.byTemplate({ id: 1, shop: null }, 1)).rejects.toThrow('{0.shop.code}');
  });

  it('names the @LockKey() parameter', async () => {
    const service = await orders();
    await expect(service.byParameters(1, 'note', { id: 1 })).rejects.toThrow(
      "@LockKey('shop.code') of Orders.byParameters() must be",
    );
  });

  it('takes own properties only, never those of a prototype', async () => {
    const service = await orders();
    class Entity {
      get id(): string {
        return 'shared';
      }
    }
    await expect(service.byId(new Entity())).rejects.toThrow(
      'key {0.id} must be a path of own properties; "id" is a getter or inherited: give a function in place of the template, (...args) => args[0].id',
    );
    await expect(service.byId(Object.create({ id: 1 }) as Order)).rejects.toThrow('{0.id}');
  });
});

describe('a getter in a path', () => {
  class Shop {
    get code(): string {
      return 'x';
    }
    get 'zip-code'(): string {
      return 'y';
    }
  }

  class Wrong {
    @DistributedLock({ lock: 'order', key: '{0}:{1.shop.code}' })
    async byTemplate(_id: string, _order: object): Promise<void> {}

    @DistributedLock({ lock: 'order', key: '{1.shop.zip-code}' })
    async byName(_id: string, _order: object): Promise<void> {}

    @DistributedLock('order')
    async byParameter(_id: string, @LockKey('shop.code') _order: object): Promise<void> {}
  }

  it('is answered with a function that reads it', async () => {
    const app = await start({ imports: [locksOf(['order'])], providers: [Wrong] });
    const service = app.get(Wrong);
    const value = { shop: new Shop() };
    const place = 'Wrong.byTemplate(), lock "order": key {1.shop.code} must be';
    await expect(service.byTemplate('a', value)).rejects.toThrow(place);
    await expect(service.byTemplate('a', value)).rejects.toThrow(
      'a function in place of the template, (...args) => args[1].shop.code;',
    );
    await expect(service.byName('a', value)).rejects.toThrow('(...args) => args[1].shop["zip-code"];');
    await expect(service.byParameter('a', value)).rejects.toThrow(
      'give @DistributedLock() a function as its key, (...args) => args[1].shop.code;',
    );
  });
});

describe('a bad template', () => {
  it.each([
    '', ':', 'a:', ':{0}', '{0}::{1}', '{', '}', '{}', '{a}', '{0', '0}', '{{0}}', '{-1}', '{01}', '{0.}', '{0..a}', '{.a}',
    '{0.__proto__}', '{0.a.__proto__.b}', '{0.5', '{100}', 'x'.repeat(513), 'a\u0000', '{0}\n', '\ud800',
  ])('%j is refused when the class is defined', (key) => {
    const define = () => {
      class Wrong {
        @DistributedLock({ lock: 'order', key })
        async run(_order: Order): Promise<void> {}
      }
      return Wrong;
    };
    expect(define).toThrow(InvalidOptionError);
    expect(define).toThrow(/^Wrong\.run\(\), lock "order": key/);
  }); // prettier-ignore

  it.each([
    ['{order.id}', '{0.id} for the first, {1.id} for the second'],
    ['{order}', '{0} for the first, {1} for the second'],
  ])('that names a parameter, %s, is answered with what to write', (key, advice) => {
    expect(() => {
      class Wrong {
        @DistributedLock({ lock: 'order', key })
        async pay(_user: object, _order: Order): Promise<void> {}
      }
      return Wrong;
    }).toThrow(`in ${key} write the number of the argument in place of its name, ${advice}; got "${key}"`);
  });

  it('asks for an argument that the method does not have', () => {
    expect(() => {
      class Wrong {
        @DistributedLock({ lock: 'order', key: '{2.id}' })
        async run(_a: string, _b: string): Promise<void> {}
      }
      return Wrong;
    }).toThrow(
      'Wrong.run(), lock "order": key must be a template over the 2 arguments of the method; got "{2.id}"',
    );
  });

  it('may ask for an optional or a rest argument: it is missing only when a call leaves it out', async () => {
    class Optional {
      @DistributedLock({ lock: 'order', key: '{1}' })
      async optional(_a: string, _b = 'given by the method'): Promise<string> {
        return resource();
      }
    }
    const app = await start({ imports: [locksOf(['order'])], providers: [Optional] });
    expect(await app.get(Optional).optional('a', 'b')).toBe('order:b');
    await expect(app.get(Optional).optional('a')).rejects.toThrow('key {1} must be');
    await expect((await orders()).byRest('a')).rejects.toThrow('key {1} must be');
  });

  it.each(['', '.', 'a..b', 'a.', '__proto__', null, 5, {}])('@LockKey(%j) is refused', (path) => {
    expect(() => LockKey(path as string)).toThrow(/^path must be/);
  });

  it('@LockKey() is refused on a constructor and on a static method', () => {
    expect(() => LockKey()({}, undefined, 0)).toThrow(InvalidOptionError);
    expect(() => LockKey()(class {}, 'run', 0)).toThrow(InvalidOptionError);
  });
});
