import { Inject, Injectable, Module, Scope, type Type } from '@nestjs/common';
import { ContextIdFactory, ModuleRef } from '@nestjs/core';
import { BedrockService, currentLease, DistributedLock, LockUnboundError } from 'nestjs-bedrock';
import { bedrockOf, closeAll, errorOf, locksOf, start, startError } from '../app.js';

afterEach(closeAll);

class Base {
  @DistributedLock('work')
  async run(): Promise<string | undefined> {
    return currentLease()?.resource;
  }
}

@Injectable()
class Service extends Base {}

@Injectable()
class Child extends Service {
  override async run(): Promise<string> {
    return `child of ${await super.run()}`;
  }
}

@Injectable({ scope: Scope.REQUEST })
class PerRequest extends Base {}

@Injectable({ scope: Scope.TRANSIENT })
class Transient extends Base {}

@Injectable()
class WithProperty extends Base {
  @Inject('name') readonly name!: string;
}

const imports = () => [locksOf(['work'])];

describe('a decorated method', () => {
  it('works on an inherited method, and through super', async () => {
    const app = await start({ imports: imports(), providers: [Service, Child] });
    expect(await app.get(Service).run()).toBe('work');
    expect(await app.get(Child).run()).toBe('child of work');
  });

  it('leaves the property injection of subclasses alone', async () => {
    const name = { provide: 'name', useValue: 'n' };
    const app = await start({ imports: imports(), providers: [WithProperty, name] });
    expect(app.get(WithProperty).name).toBe('n');
    expect(await app.get(WithProperty).run()).toBe('work');
  });

  it('works on request-scoped and transient providers', async () => {
    const app = await start({ imports: imports(), providers: [PerRequest, Transient] });
    const request = await app.resolve(PerRequest, ContextIdFactory.create());
    const transient = await app.resolve(Transient);
    expect(await request.run()).toBe('work');
    expect(await transient.run()).toBe('work');
  });

  it('works on what ModuleRef.create() makes', async () => {
    const app = await start({ imports: imports() });
    expect(await (await app.get(ModuleRef).create(Service)).run()).toBe('work');
  });

  it('works on providers that depend on each other', async () => {
    @Injectable()
    class Left extends Base {
      constructor(@Inject('right') readonly right: object) {
        super();
      }
    }
    @Injectable()
    class Right extends Base {}
    const app = await start({
      imports: imports(),
      providers: [Left, Right, { provide: 'right', useExisting: Right }],
    });
    expect(await app.get(Left).run()).toBe('work');
    expect(await (app.get(Left).right as Right).run()).toBe('work');
  });

  it('works on what factories and values give', async () => {
    const providers = [
      { provide: 'value', useValue: new Base() },
      { provide: 'factory', useFactory: async () => new Service() },
      { provide: 'alias', useExisting: 'factory' },
    ];
    const app = await start({ imports: imports(), providers });
    for (const { provide } of providers) expect(await app.get<Base>(provide).run()).toBe('work');
  });

  it('works on an object that its factory has bound and frozen', async () => {
    const made = {
      provide: 'made',
      useFactory: (bedrock: BedrockService) => Object.freeze(bedrock.bind(new Base())),
      inject: [BedrockService],
    };
    const app = await start({ imports: imports(), providers: [made] });
    expect(await app.get<Base>('made').run()).toBe('work');
  });

  it('works on transient factories that others asked for', async () => {
    @Injectable()
    class User {
      constructor(@Inject('made') readonly made: Base) {}
    }
    const made = { provide: 'made', useFactory: () => new Base(), scope: Scope.TRANSIENT };
    const app = await start({ imports: imports(), providers: [made, User] });
    expect(await app.get(User).made.run()).toBe('work');
  });

  it('is ready in the onModuleInit of every other class', async () => {
    const seen: unknown[] = [];
    class Early extends Base {
      async onModuleInit() {
        seen.push(await this.run());
      }
    }
    @Module({ providers: [{ provide: 'early', useFactory: () => new Early() }] })
    class Feature {}
    await start({ imports: [Feature, ...imports()] });
    expect(seen).toEqual(['work']);
  });

  it('may be shared by two applications, one after the other', async () => {
    const provider = { provide: 'value', useValue: new Base() };
    const first = await start({ imports: imports(), providers: [provider] });
    await first.close();
    const second = await start({ imports: imports(), providers: [provider] });
    expect(await second.get<Base>('value').run()).toBe('work');
  });
});

describe('an object that Nest did not make', () => {
  it('does not run the method, and the error says what to do', async () => {
    let ran = false;
    class Loose {
      @DistributedLock('work')
      async run(): Promise<void> {
        ran = true;
      }
    }
    const error: unknown = await new Loose().run().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(LockUnboundError);
    expect(error).toMatchObject({ code: 'LOCK_UNBOUND', method: 'Loose.run()' });
    expect((error as Error).message).toContain('bedrock.bind(obj)');
    const { run } = new Loose();
    await expect(run()).rejects.toThrow(LockUnboundError);
    expect(ran).toBe(false);
  });

  it('does not run in a constructor', async () => {
    const results: Promise<unknown>[] = [];
    @Injectable()
    class Hasty extends Base {
      constructor() {
        super();
        results.push(this.run().catch((reason: unknown) => reason));
      }
    }
    await start({ imports: imports(), providers: [Hasty] });
    expect(await Promise.all(results)).toEqual([expect.any(LockUnboundError)]);
  });

  it('works after bedrock.bind()', async () => {
    const app = await start({ imports: imports() });
    const bedrock = bedrockOf(app);
    const object = new Base();
    expect(bedrock.bind(object)).toBe(object);
    expect(await object.run()).toBe('work');
  });

  it('made by a request-scoped factory must be bound by it', async () => {
    const made = (bind: boolean) => ({
      provide: 'made',
      useFactory: (bedrock: BedrockService) => (bind ? bedrock.bind(new Base()) : new Base()),
      inject: [BedrockService],
      scope: Scope.REQUEST,
    });
    const bound = await start({ imports: imports(), providers: [made(true)] });
    expect(await (await bound.resolve<Base>('made')).run()).toBe('work');
    const unbound = await start({ imports: imports(), providers: [made(false)] });
    await expect((await unbound.resolve<Base>('made')).run()).rejects.toThrow(LockUnboundError);
  });

  it.each([undefined, null, 'text', 5, Object.freeze(new Base())])('bind(%p) is refused', async (value) => {
    const app = await start({ imports: imports() });
    const error = errorOf(() => bedrockOf(app).bind(value as object));
    expect(error).toMatchObject({ code: 'INVALID_OPTION', field: 'instance' });
  });
});

describe('without the module', () => {
  it.each([Service, Child, PerRequest, Transient] as Type[])(
    'an application with %p does not start, and the message says what to import',
    async (provider) => {
      const error = await startError({ providers: [provider] });
      expect(error.message).toContain('BedrockLockModule.forRoot() is not imported');
      expect(error.message).toContain(provider.name);
    },
  );
});
