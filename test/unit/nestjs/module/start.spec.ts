import {
  Controller,
  Get,
  Injectable,
  Logger,
  Module,
  Post,
  Sse,
  type MessageEvent,
  type ModuleMetadata,
} from '@nestjs/common';
import { Query, Resolver } from '@nestjs/graphql';
import { EventPattern, MessagePattern } from '@nestjs/microservices';
import { SubscribeMessage, WebSocketGateway } from '@nestjs/websockets';
import { jest } from '@jest/globals';
import { BackendUnavailableError, UnsupportedByBackendError, type Backend } from 'bedrock-lock';
import { memory } from 'bedrock-lock/memory';
import { DistributedLock, LockKey } from 'nestjs-bedrock';
import { EMPTY, Observable } from 'rxjs';
import { altered } from '../locking/altered.js';
import { closeAll, locksOf, start, startError } from '../app.js';

afterEach(closeAll);

describe('an application does not start', () => {
  it('with a lock that is not registered, and the message says what to add', async () => {
    class Orders {
      @DistributedLock('inventori')
      async place(): Promise<void> {}
    }
    const error = await startError({ imports: [locksOf(['inventory'])], providers: [Orders] });
    expect(error.message).toBe(
      "Orders.place(): lock must be registered: add { name: 'inventori' } to the locks of BedrockLockModule.forRoot(), " +
        'forRootAsync() or forFeature(); got "inventori"',
    );
    expect(error.stack).toContain(error.message);
  });

  it('with a backend that is not there', async () => {
    class Orders {
      @DistributedLock({ lock: 'inventory', backend: 'zk' })
      async place(): Promise<void> {}
    }
    const error = await startError({ imports: [locksOf(['inventory'])], providers: [Orders] });
    expect(error.message).toContain("add { name: 'inventory', backend: 'zk' }");
  });

  it('with a lease that the backend does not give', async () => {
    class Orders {
      @DistributedLock({ lock: 'inventory', leaseMs: 60_000 })
      async place(): Promise<void> {}
    }
    const imports = [locksOf(['inventory'], { backend: () => memory({ maxLeaseMs: 30_000 }) })];
    const error = await startError({ imports, providers: [Orders] });
    expect(error).toMatchObject({ field: 'leaseMs' });
    expect(error.message).toMatch(/^Orders\.place\(\): /);
  });

  it('with a time to hold at least that the backend does not give', async () => {
    class Jobs {
      @DistributedLock({ lock: 'inventory', holdAtLeastMs: 20_000 })
      async run(): Promise<void> {}
    }
    const short = () => memory({ maxLeaseMs: 10_000 });
    const tooLong = await startError({
      imports: [locksOf(['inventory'], { backend: short })],
      providers: [Jobs],
    });
    expect(tooLong).toMatchObject({ code: 'INVALID_OPTION', field: 'holdAtLeastMs' });
    const plain = memory();
    const backend = () => altered(plain, { traits: { ...plain.traits, holdAtLeast: false } });
    const unsupported = await startError({
      imports: [locksOf(['inventory'], { backend })],
      providers: [Jobs],
    });
    expect(unsupported).toMatchObject({ code: 'LOCK_UNSUPPORTED' });
    expect(unsupported.message).toBe(
      'Jobs.run(): memory does not support holdAtLeastMs; its locks end with the session; take a lease backend',
    );
  });

  it('with a mistake in a request-scoped, inherited or factory-made class, or in a controller', async () => {
    class Base {
      @DistributedLock('typo')
      async place(): Promise<void> {}
    }
    @Injectable({ scope: 2 })
    class Scoped extends Base {}
    @Controller()
    class Front extends Base {}
    const wrong = [
      { providers: [Scoped] },
      { providers: [{ provide: 'made', useFactory: () => new Scoped() }] },
      { providers: [{ provide: 'value', useValue: new Base() }] },
      { controllers: [Front] },
    ];
    for (const metadata of wrong) {
      const error = await startError({ imports: [locksOf(['inventory'])], ...metadata });
      expect(error.message).toContain('Base.place(): lock must be registered');
    }
  });

  it("with onBusy 'skip' on a handler, wherever the decorator stands", async () => {
    @Controller('above')
    class Above {
      @DistributedLock({ lock: 'inventory', onBusy: 'skip' })
      @Get()
      async get(): Promise<void> {}
    }
    @Controller('below')
    class Below {
      @Post()
      @DistributedLock({ lock: 'inventory', onBusy: 'skip' })
      async post(): Promise<void> {}
    }
    @Controller()
    class Messages {
      @MessagePattern('sum')
      @DistributedLock({ lock: 'inventory', onBusy: 'skip' })
      async sum(): Promise<void> {}
    }
    @Controller()
    class Events {
      @DistributedLock({ lock: 'inventory', onBusy: 'skip' })
      @EventPattern('sold')
      async sold(_event: unknown): Promise<void> {}
    }
    @Controller('sse')
    class Streams {
      @Sse()
      @DistributedLock({ lock: 'inventory', onBusy: 'skip' })
      prices(): Observable<MessageEvent> {
        return EMPTY;
      }
    }
    @WebSocketGateway()
    class Gateway {
      @DistributedLock({ lock: 'inventory', onBusy: 'skip' })
      @SubscribeMessage('chat')
      chat(): Observable<unknown> {
        return EMPTY;
      }
    }
    @Resolver()
    class Shop {
      @DistributedLock({ lock: 'inventory', onBusy: 'skip' })
      @Query(() => String)
      async stock(): Promise<string | undefined> {
        return '';
      }
    }
    const cases: [ModuleMetadata, string][] = [
      [{ controllers: [Above] }, "Above.get(): onBusy must be 'throw' or a function on an HTTP handler"],
      [{ controllers: [Below] }, "Below.post(): onBusy must be 'throw' or a function on an HTTP handler"],
      [{ controllers: [Messages] }, 'Messages.sum(): '],
      [{ controllers: [Messages] }, 'on a message handler'],
      [{ controllers: [Events] }, 'on a message handler'],
      [{ controllers: [Streams] }, 'on an HTTP handler'],
      [{ providers: [Shop] }, 'on a GraphQL resolver'],
      [{ providers: [Gateway] }, 'on a WebSocket handler'],
    ];
    for (const [metadata, message] of cases) {
      const error = await startError({ imports: [locksOf(['inventory'])], ...metadata });
      expect(error.message).toContain(message);
    }
  });

  it.each([
    ['fencing tokens', { fencing: true }, { fencing: false }],
    ['holdAtLeastMs', { holdAtLeastMs: 5 }, { holdAtLeast: false }],
    ['grants in order of arrival', { kind: 'fairMutex' }, { fifo: false }],
    ['read-write locks', { kind: 'readWriteLock' }, { shared: false }],
    ['semaphores', { kind: 'semaphore', permits: 3 }, { weighted: false }],
  ])('with a lock whose backend does not support %s', async (feature, options, lacking) => {
    const plain = memory();
    const backend = () => altered(plain, { traits: { ...plain.traits, ...lacking } });
    const error = await startError({
      imports: [locksOf([{ name: 'inventory', ...options } as never], { backend })],
    });
    expect(error).toMatchObject({ code: 'LOCK_UNSUPPORTED' });
    expect(error.message).toContain(`lock "inventory": memory does not support ${feature}`);
  });

  it('with a frozen object that a factory made, and the message names the provider', async () => {
    class Orders {
      @DistributedLock('inventory')
      async place(): Promise<void> {}
    }
    const frozen = { provide: 'orders', useFactory: () => Object.freeze(new Orders()) };
    const error = await startError({ imports: [locksOf(['inventory'])], providers: [frozen] });
    expect(error.message).toBe(
      'provider orders: instance must be an object that is not frozen; got an object',
    );
  });

  it('with @LockKey() on a method that is not locked', async () => {
    class Orders {
      async place(@LockKey() _id: string): Promise<void> {}
    }
    const error = await startError({ imports: [locksOf(['inventory'])], providers: [Orders] });
    expect(error.message).toContain('@LockKey() must be joined by @DistributedLock() on Orders.place()');
  });

  it('when a backend is not ready, and closes the others', async () => {
    const closed: string[] = [];
    const backend = (name: string, ready: () => Promise<void>): Backend => {
      const real = memory();
      return new Proxy(real, {
        get(target, key) {
          if (key === 'ready') return ready;
          if (key === 'close') return async () => void closed.push(name);
          const value = Reflect.get(target, key, target) as unknown;
          return typeof value === 'function' ? (value as () => unknown).bind(target) : value;
        },
      });
    };
    const down = () => Promise.reject(new BackendUnavailableError('redis', 'connection refused', 'no'));
    const backends = { default: () => backend('up', async () => {}), other: () => backend('down', down) };
    const error = await startError({ imports: [locksOf([], { backends })] });
    expect(error).toMatchObject({ code: 'BACKEND_UNAVAILABLE' });
    expect(closed.sort()).toEqual(['down', 'up']);
  });

  it('when a factory fails, and closes the backends made before', async () => {
    const first = memory();
    const close = jest.spyOn(first, 'close');
    const backends = {
      default: () => first,
      other: () => {
        throw new UnsupportedByBackendError('x', 'y', 'z');
      },
    };
    expect(await startError({ imports: [locksOf([], { backends })] })).toMatchObject({
      code: 'LOCK_UNSUPPORTED',
    });
    expect(close).toHaveBeenCalledTimes(1);
  });
});

describe('an application that starts', () => {
  it('lists its locked methods at debug level, each once', async () => {
    class Orders {
      @DistributedLock({ lock: 'inventory', key: '{0.id}' })
      @DistributedLock('audit')
      async place(_order: object): Promise<void> {}

      @DistributedLock({ lock: 'audit', backend: 'default', key: () => 'x' })
      async byFunction(): Promise<void> {}

      @DistributedLock('audit')
      async byParameter(@LockKey() _id: string): Promise<void> {}
    }
    class Special extends Orders {}
    const debug = jest.spyOn(Logger.prototype, 'debug').mockImplementation(() => {});
    await start({ imports: [locksOf(['inventory', 'audit'])], providers: [Orders, Special] });
    const lines = debug.mock.calls.map(([line]) => line as string);
    debug.mockRestore();
    expect(lines).toEqual([
      'Orders.place() locks inventory:{0.id}, audit',
      'Orders.byFunction() locks audit:<function> on default',
      'Orders.byParameter() locks audit:<@LockKey()>',
    ]);
  });

  it('does not mind values of every kind among its providers', async () => {
    const values = [
      undefined,
      null,
      0,
      'text',
      Symbol('s'),
      () => 1,
      class {},
      Object.create(null),
      [],
      new Map(),
    ];
    const providers = values.map((useValue: unknown, index) => ({ provide: `value${index}`, useValue }));
    @Module({ providers })
    class Values {}
    await expect(start({ imports: [Values, locksOf()] })).resolves.toBeDefined();
  });
});
