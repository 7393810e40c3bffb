import { Controller, Injectable, Post } from '@nestjs/common';
import { memory, MemoryStore } from 'bedrock-lock/memory';
import { BedrockService, Idempotent } from 'nestjs-bedrock';
import { closeAll, locksOf, start, startError } from '../app.js';
import { ADAPTERS, closeServers, listen } from '../handlers/server.js';

afterEach(closeServers);
afterEach(closeAll);

const imports = () => [locksOf([], { idempotency: ['payments'] })];

abstract class Provider {
  @Idempotent({ idempotency: 'payments', key: '{0}' })
  async pay(_key: string) {
    return `paid by ${this.constructor.name}`;
  }

  @Idempotent({ idempotency: 'payments', operation: 'payments.refund', key: '{0}' })
  async refund(_key: string) {
    return `refunded by ${this.constructor.name}`;
  }
}

@Injectable()
class Card extends Provider {}

@Injectable()
class Transfer extends Provider {}

@Injectable()
class Checked extends Provider {
  checks = 0;

  @Idempotent({ idempotency: 'payments', key: '{0}' })
  override async pay(key: string) {
    this.checks += 1;
    return `checked, ${await super.pay(key)}`;
  }
}

describe('@Idempotent() on a method that classes inherit', () => {
  const started = async () => {
    const app = await start({ imports: imports(), providers: [Card, Transfer, Checked] });
    return { card: app.get(Card), transfer: app.get(Transfer), checked: app.get(Checked), app };
  };

  it('has keys of its own in each class', async () => {
    const { card, transfer, app } = await started();
    expect([await card.pay('a'), await transfer.pay('a')]).toEqual(['paid by Card', 'paid by Transfer']);
    expect([await card.pay('a'), await transfer.pay('a')]).toEqual(['paid by Card', 'paid by Transfer']);
    const payments = app.get(BedrockService).idempotency('payments');
    expect(await payments.inspect('a', { operation: 'Card.pay' })).toMatchObject({ state: 'completed' });
  });

  it('shares them where the operation has a name', async () => {
    const { card, transfer } = await started();
    expect(await card.refund('a')).toBe('refunded by Card');
    expect(await transfer.refund('a')).toBe('refunded by Card');
  });

  it('runs beside an override that calls it, and has another name then', async () => {
    const { checked, app } = await started();
    for (let call = 0; call < 2; call++) expect(await checked.pay('a')).toBe('checked, paid by Checked');
    expect(checked.checks).toBe(1);
    const payments = app.get(BedrockService).idempotency('payments');
    for (const operation of ['Checked.pay', 'Checked.Provider.pay'])
      expect(await payments.inspect('a', { operation })).toMatchObject({ state: 'completed' });
  });

  it('stops the start where two classes of one name inherit it', async () => {
    const another = () => {
      @Injectable()
      class Card extends Provider {}
      return Card;
    };
    const error = await startError({ imports: imports(), providers: [another(), another()] });
    expect(error).toMatchObject({ code: 'INVALID_OPTION', field: 'operation' });
    expect(error.message).toMatch(/^Card\.pay\(\): operation must be given on both, since Card\.pay\(\) has/);
  });
});

it('@Idempotent() gives the results of a class on, once renamed, under the name that it had as its operation', async () => {
  const store = new MemoryStore();
  const deploy = async (provider: new () => { place(key: string): Promise<string> }) => {
    const module = locksOf([], { backend: () => memory({ store }), idempotency: ['orders'] });
    return (await start({ imports: [module], providers: [provider] })).get(provider);
  };
  @Injectable()
  class Orders {
    @Idempotent({ idempotency: 'orders', key: '{0}' })
    async place(_key: string) {
      return 'before the deployment';
    }
  }
  @Injectable()
  class OrderDesk {
    @Idempotent({ idempotency: 'orders', operation: 'Orders.place', key: '{0}' })
    async accept(_key: string) {
      return 'after it';
    }

    place(key: string) {
      return this.accept(key);
    }
  }
  const before = await deploy(Orders);
  expect(await before.place('a')).toBe('before the deployment');
  const after = await deploy(OrderDesk);
  expect([await after.place('a'), await after.place('b')]).toEqual(['before the deployment', 'after it']);
  // Meanwhile the old process goes on.
  expect(await before.place('b')).toBe('after it');
});

describe.each(ADAPTERS)('@Idempotent() on a handler that controllers inherit, on %s', (_name, adapter) => {
  it('has keys of its own in each controller', async () => {
    abstract class Payments {
      @Post()
      @Idempotent({ idempotency: 'payments', payload: () => null })
      async pay() {
        return this.constructor.name;
      }
    }
    @Controller('cards')
    class Cards extends Payments {}
    @Controller('transfers')
    class Transfers extends Payments {}
    const { url } = await listen(
      { imports: imports(), controllers: [Cards, Transfers] },
      { adapter: adapter() },
    );
    const pay = async (path: string) => {
      const headers = { 'Idempotency-Key': 'key' };
      return (await fetch(`${url}/${path}`, { method: 'POST', headers })).text();
    };
    for (let round = 0; round < 2; round++)
      expect([await pay('cards'), await pay('transfers')]).toEqual(['Cards', 'Transfers']);
  });
});
