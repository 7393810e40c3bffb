import { Injectable, Module } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { Bedrock, Mutex } from 'bedrock-lock';
import { memory } from 'bedrock-lock/memory';
import {
  BedrockLockModule,
  BedrockService,
  getLockToken,
  InjectLock,
  type BedrockLockOptionsFactory,
} from 'nestjs-bedrock';
import { bedrockOf, closeAll, errorOf, locksOf, start, startError } from '../app.js';

afterEach(closeAll);

@Injectable()
class Warehouse {
  constructor(@InjectLock('inventory') readonly inventory: Mutex) {}
}

@Injectable()
class Shop {
  @InjectLock('inventory') readonly inventory!: Mutex;
}

@Module({ providers: [Warehouse] })
class WarehouseModule {}

@Module({ providers: [Shop], imports: [WarehouseModule] })
class ShopModule {}

describe('BedrockLockModule.forRoot()', () => {
  it('gives the same lock in every module, without importing it there', async () => {
    const app = await start({ imports: [locksOf(['inventory']), ShopModule] });
    const { inventory } = app.get(Warehouse);
    expect(inventory).toBeInstanceOf(Mutex);
    expect(app.get(Shop).inventory).toBe(inventory);
    expect(app.get(getLockToken('inventory'))).toBe(inventory);
    expect(bedrockOf(app).lock('inventory')).toBe(inventory);
    expect(bedrockOf(app).mutex('inventory')).toBe(inventory);
  });

  it('gives every lock its options, the prefix and the defaults', async () => {
    const locks = ['plain', { name: 'short', leaseMs: 2000, waitMs: 7 }];
    const app = await start({ imports: [locksOf(locks, { prefix: 'app-', defaults: { waitMs: 9 } })] });
    const bedrock = bedrockOf(app);
    expect(bedrock.lock('plain')).toMatchObject({
      resource: 'app-plain',
      settings: { leaseMs: 30_000, waitMs: 9 },
    });
    expect(bedrock.lock('short')).toMatchObject({
      resource: 'app-short',
      settings: { leaseMs: 2000, waitMs: 7 },
    });
  });

  it('is only seen where it is imported when isGlobal is false', async () => {
    const locks = locksOf(['inventory'], { isGlobal: false });
    @Module({ imports: [locks], providers: [Warehouse] })
    class Importing {}
    const app = await start({ imports: [locks, Importing] });
    expect(app.get(Warehouse).inventory).toBe(bedrockOf(app).lock('inventory'));
    const error = await startError({ imports: [locksOf(['inventory'], { isGlobal: false }), ShopModule] });
    expect(error.message).toContain('lock "inventory" of BedrockLockModule.forRoot({ locks })');
  });

  it('lets a test replace a lock', async () => {
    const double = { run: (body: () => unknown) => body() };
    const module = await Test.createTestingModule({ imports: [locksOf(['inventory']), ShopModule] })
      .overrideProvider(getLockToken('inventory'))
      .useValue(double)
      .compile();
    expect(module.get(Shop).inventory).toBe(double);
    await module.close();
  });

  it('names the place where a lock belongs that is injected but not registered', async () => {
    const error = await startError({ imports: [locksOf([]), ShopModule] });
    expect(error.message).toContain('lock "inventory" of BedrockLockModule.forRoot({ locks })');
  });

  it('is refused a second time in one application', async () => {
    const error = await startError({ imports: [locksOf(['inventory']), locksOf(['inventory'])] });
    expect(error.message).toContain('BedrockLockModule.forRoot() must be imported once in an application');
    expect(error.message).toContain('forFeature()');
  });

  it('refuses the same name with other options', async () => {
    const error = await startError({ imports: [locksOf(['a', { name: 'a', waitMs: 1 }])] });
    expect(error).toMatchObject({ code: 'INVALID_OPTION', field: 'options' });
    expect(error.message).toContain('lock "a"');
  });
});

describe('several backends', () => {
  const backends = () => ({
    left: () => memory({ label: 'left' }),
    right: async () => memory({ label: 'right' }),
  });

  it('have one Bedrock each', async () => {
    const options = { backends: backends() };
    const app = await start({ imports: [locksOf([{ name: 'a', backend: 'left' }], options)] });
    const bedrock = bedrockOf(app);
    expect(bedrock.backends).toEqual(['left', 'right']);
    expect(bedrock.bedrock('left')).toBeInstanceOf(Bedrock);
    expect(bedrock.bedrock('left')).not.toBe(bedrock.bedrock('right'));
    expect(() => bedrock.bedrock('middle')).toThrow('backend must be one of left, right; got "middle"');
    expect(() => bedrock.bedrock()).toThrow('got "default"');
  });

  it('may have locks of the same name, distinguished by the backend', async () => {
    const locks = [
      { name: 'a', backend: 'left' },
      { name: 'a', backend: 'right' },
      { name: 'only', backend: 'right' },
    ];
    @Injectable()
    class Users {
      constructor(
        @InjectLock('a', 'left') readonly left: Mutex,
        @InjectLock('a', 'right') readonly right: Mutex,
        @InjectLock('only') readonly only: Mutex,
      ) {}
    }
    const app = await start({ imports: [locksOf(locks, { backends: backends() })], providers: [Users] });
    const { left, right, only } = app.get(Users);
    const bedrock = bedrockOf(app);
    expect(left).toBe(bedrock.bedrock('left').mutex('a'));
    expect(right).toBe(bedrock.bedrock('right').mutex('a'));
    expect(only).toBe(bedrock.lock('only', 'right'));
    expect(() => bedrock.lock('a')).toThrow('backend must be given, since lock "a" is on left, right');
  });

  it('must be named where the injected name is on several of them', async () => {
    const locks = [
      { name: 'inventory', backend: 'left' },
      { name: 'inventory', backend: 'right' },
    ];
    const error = await startError({ imports: [locksOf(locks, { backends: backends() }), ShopModule] });
    expect(error.message).toContain('lock "inventory" of BedrockLockModule.forRoot({ locks })');
  });

  it('take a lock without a backend to the one named default', async () => {
    const error = await startError({ imports: [locksOf(['a'], { backends: backends() })] });
    expect(error).toMatchObject({ field: 'backend' });
    expect(error.message).toBe('lock "a": backend must be one of left, right; got "default"');
  });
});

describe('BedrockService', () => {
  it('makes locks at run time, the same object for the same name', async () => {
    const app = await start({ imports: [locksOf()] });
    const bedrock = bedrockOf(app);
    const lock = bedrock.mutex('report', { leaseMs: 4000 });
    expect(bedrock.mutex('report', { leaseMs: 4000 })).toBe(lock);
    const error = errorOf(() => bedrock.mutex('report', { leaseMs: 5000 }));
    expect(error).toMatchObject({ code: 'INVALID_OPTION', field: 'options' });
    expect(await lock.run(() => 'ran')).toBe('ran');
  });

  it('gives a registered lock whose options are not repeated', async () => {
    const app = await start({ imports: [locksOf([{ name: 'report', waitMs: 1 }])] });
    expect(bedrockOf(app).mutex('report')).toBe(bedrockOf(app).lock('report'));
  });

  it('tells what to add for a lock that is not registered', async () => {
    const app = await start({ imports: [locksOf()] });
    expect(() => bedrockOf(app).lock('report')).toThrow(
      "add { name: 'report' } to the locks of BedrockLockModule",
    );
  });
});

describe('BedrockLockModule.forRootAsync()', () => {
  @Injectable()
  class Config {
    readonly waitMs = 11;
  }
  @Module({ providers: [Config], exports: [Config] })
  class ConfigModule {}

  const options = () => ({ backend: () => memory(), shutdownGraceMs: 0 });

  @Injectable()
  class Options implements BedrockLockOptionsFactory {
    createBedrockLockOptions() {
      return { ...options(), prefix: 'class-' };
    }
  }
  @Module({ providers: [Options], exports: [Options] })
  class OptionsModule {}

  it('takes its options from a factory with dependencies', async () => {
    const root = BedrockLockModule.forRootAsync({
      imports: [ConfigModule],
      inject: [Config],
      useFactory: async (config: Config) => ({ ...options(), defaults: { waitMs: config.waitMs } }),
      locks: ['inventory'],
    });
    const app = await start({ imports: [root, ShopModule] });
    expect(app.get(Shop).inventory.settings.waitMs).toBe(11);
    expect(app.get(Shop).inventory).toBe(app.get(Warehouse).inventory);
  });

  it('lays the options of the factory over those of the list', async () => {
    const root = BedrockLockModule.forRootAsync({
      useFactory: () => ({ ...options(), locks: [{ name: 'inventory', waitMs: 2 }] }),
      locks: [{ name: 'inventory', waitMs: 1, leaseMs: 5000 }, 'other'],
    });
    const app = await start({ imports: [root, ShopModule] });
    expect(app.get(Shop).inventory.settings).toMatchObject({ waitMs: 2, leaseMs: 5000 });
    expect(bedrockOf(app).lock('other').settings.waitMs).toBe(5000);
  });

  it('lets the factory choose the backend of a lock', async () => {
    const root = BedrockLockModule.forRootAsync({
      useFactory: () => ({
        backends: { default: () => memory(), slow: () => memory() },
        locks: [{ name: 'inventory', backend: 'slow' }],
        shutdownGraceMs: 0,
      }),
      locks: ['inventory'],
      backends: ['default', 'slow'],
    });
    const app = await start({ imports: [root, ShopModule] });
    expect(app.get(Shop).inventory).toBe(bedrockOf(app).bedrock('slow').mutex('inventory'));
  });

  it('refuses a lock of the factory that the list does not name', async () => {
    const root = BedrockLockModule.forRootAsync({
      useFactory: () => ({ ...options(), locks: ['inventory'] }),
    });
    const error = await startError({ imports: [root] });
    expect(error.message).toContain('locks must be those that forRootAsync({ locks }) lists');
  });

  it('takes its options from a class of its own or an existing provider', async () => {
    const own = BedrockLockModule.forRootAsync({ useClass: Options, locks: ['inventory'] });
    const one = await start({ imports: [own, ShopModule] });
    expect(one.get(Shop).inventory.resource).toBe('class-inventory');
    const existing = { imports: [OptionsModule], useExisting: Options, locks: ['inventory'] };
    const other = await start({ imports: [BedrockLockModule.forRootAsync(existing), ShopModule] });
    expect(other.get(Shop).inventory.resource).toBe('class-inventory');
  });

  it('may stay local', async () => {
    const root = BedrockLockModule.forRootAsync({
      useFactory: options,
      locks: ['inventory'],
      isGlobal: false,
    });
    const error = await startError({ imports: [root, ShopModule] });
    expect(error.message).toContain('lock "inventory"');
  });

  it('does not start when the factory fails, with its error', async () => {
    const root = BedrockLockModule.forRootAsync({
      useFactory: () => Promise.reject(new TypeError('no config')),
    });
    expect(await startError({ imports: [root] })).toBeInstanceOf(TypeError);
  });
});

describe('in production', () => {
  const environment = process.env['NODE_ENV'];
  beforeEach(() => (process.env['NODE_ENV'] = 'production'));
  afterEach(() => (process.env['NODE_ENV'] = environment));

  it('locks that hold in one process only are refused', async () => {
    const error = await startError({ imports: [locksOf(['inventory'])] });
    expect(error).toMatchObject({ code: 'LOCK_UNSUPPORTED' });
    expect(error.message).toContain('allowInProcessLocks: true');
  });

  it('they are allowed when the module says so', async () => {
    const app = await start({ imports: [locksOf(['inventory'], { allowInProcessLocks: true })] });
    expect(
      await app
        .get(BedrockService)
        .lock('inventory')
        .run(() => 'ran'),
    ).toBe('ran');
  });
});
