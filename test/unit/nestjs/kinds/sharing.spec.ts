import { Injectable } from '@nestjs/common';
import { memory, MemoryStore } from 'bedrock-lock/memory';
import { ExclusionChecker } from 'bedrock-testkit';
import { DistributedLock } from 'nestjs-bedrock';
import { bedrockOf, closeAll, deferred, locksOf, start, startError, until } from '../app.js';

afterEach(closeAll);

const CONFIG = { name: 'config', kind: 'readWriteLock' } as const;
type Body = () => Promise<unknown>;

@Injectable()
class Config {
  reading = 0;
  readonly log: string[] = [];

  @DistributedLock({ lock: 'config', mode: 'read' })
  async get(body?: Body): Promise<unknown> {
    this.reading += 1;
    const value = await body?.();
    this.reading -= 1;
    this.log.push('read');
    return value;
  }

  @DistributedLock({ lock: 'config', kind: 'readWriteLock', mode: 'write' })
  async set(body?: Body): Promise<unknown> {
    this.log.push(`write beside ${this.reading}`);
    return body?.();
  }

  @DistributedLock({ lock: 'config', mode: 'read', key: '{0}' })
  @DistributedLock({ lock: 'config', mode: 'write', key: '{1}' })
  async copy(_from: string, _to: string, body?: Body): Promise<unknown> {
    return body?.();
  }
}

const configured = (options = {}) => start({ imports: [locksOf([CONFIG], options)], providers: [Config] });

describe('methods under the two sides of a read-write lock', () => {
  it('read beside each other, across processes, and write alone', async () => {
    const store = new MemoryStore();
    const options = { backend: () => memory({ store }) };
    const apps = [await configured(options), await configured(options)];
    const [one, other] = apps.map((app) => app.get(Config)) as [Config, Config];
    const over = deferred();
    const readers = [one.get(() => over.opened), other.get(() => over.opened), one.get(() => over.opened)];
    await until(() => one.reading === 2 && other.reading === 1);
    const writer = one.set();
    await until(() => bedrockOf(apps[0]!).bedrock().stats().waiters === 1);
    over.open();
    await Promise.all([...readers, writer]);
    expect(one.log).toEqual(['read', 'read', 'write beside 0']);
  });

  it('let a writer read, and tell at once when a reader would write', async () => {
    const config = (await configured()).get(Config);
    expect(await config.set(() => config.get(async () => 'read'))).toBe('read');
    await expect(config.get(() => config.set())).rejects.toMatchObject({ code: 'LOCK_UPGRADE' });
  });

  it('are taken in one order; where both are the same entity, it is written', async () => {
    const app = await configured();
    const granted: string[] = [];
    bedrockOf(app)
      .bedrock()
      .on('lease.granted', ({ resource }) => granted.push(resource));
    await app.get(Config).copy('b', 'a');
    expect(granted).toEqual(['config:a', 'config:b']);
    const inside = deferred();
    const over = deferred();
    const copying = app.get(Config).copy('c', 'c', async () => {
      inside.open();
      await over.opened;
    });
    await inside.opened;
    const { read } = bedrockOf(app).readWriteLock('config').for('c');
    expect(await read.tryAcquire()).toBeNull();
    over.open();
    await copying;
    expect(granted.slice(2)).toEqual(['config:c']);
  });
});

describe('an application does not start', () => {
  it('when a method does not say which side', async () => {
    class Unsure {
      @DistributedLock('config')
      async run(): Promise<void> {}
    }
    const error = await startError({ imports: [locksOf([CONFIG])], providers: [Unsure] });
    expect(error).toMatchObject({ code: 'INVALID_OPTION', field: 'mode' });
    expect(error.message).toBe(
      `Unsure.run(): mode must be 'read' or 'write': "config" is a readWriteLock; got undefined`,
    );
  });

  it.each([
    ['mutex', { name: 'config' }],
    ['semaphore', { name: 'config', kind: 'semaphore', permits: 2 }],
  ] as const)('when a method says a side of a %s', async (kind, lock) => {
    class Reader {
      @DistributedLock({ lock: 'config', mode: 'read' })
      async run(): Promise<void> {}
    }
    const error = await startError({ imports: [locksOf([lock])], providers: [Reader] });
    expect(error).toMatchObject({ code: 'INVALID_OPTION', field: 'mode' });
    expect(error.message).toContain(`mode must be left out: "config" is a ${kind}, not a readWriteLock`);
  });

  it.each([[undefined], ['{0}']])('when a method reads and writes the same entity: key %j', async (key) => {
    const same = key === undefined ? {} : { key };
    class Both {
      @DistributedLock({ lock: 'config', mode: 'read', ...same })
      @DistributedLock({ lock: 'config', mode: 'write', backend: 'default', ...same })
      async run(_id: string): Promise<void> {}
    }
    const error = await startError({ imports: [locksOf([CONFIG])], providers: [Both] });
    expect(error).toMatchObject({ code: 'INVALID_OPTION', field: 'mode' });
    expect(error.message).toContain('Both.run(): mode must be given once for "config" with this key');
  });
});

const SEATS = { name: 'seats', kind: 'semaphore', permits: 3 } as const;

@Injectable()
class Rides {
  witness = new ExclusionChecker(SEATS.permits);

  @DistributedLock('seats')
  async alone(body: () => Promise<void>): Promise<void> {
    await this.#ride(1, body);
  }

  @DistributedLock({ lock: 'seats', permits: 2 })
  async pair(body: () => Promise<void>): Promise<void> {
    await this.#ride(2, body);
  }

  @DistributedLock({ lock: 'seats', key: '{0}' })
  @DistributedLock({ lock: 'seats', key: '{1}', permits: 2 })
  async both(_one: string, _other: string): Promise<void> {}

  @DistributedLock({ lock: 'seats', permits: 2 })
  async nested(): Promise<void> {
    await this.pair(async () => {});
  }

  async #ride(people: number, body: () => Promise<void>): Promise<void> {
    await this.witness.run(body, { units: people });
  }
}

const ride = () => start({ imports: [locksOf([SEATS])], providers: [Rides] });

describe('a method under a semaphore', () => {
  it('runs as often at once as there are permits, one for each call', async () => {
    const app = await ride();
    const rides = app.get(Rides);
    const over = deferred();
    const calls = Array.from({ length: 4 }, () => rides.alone(() => over.opened));
    await until(() => bedrockOf(app).bedrock().stats().waiters === 1 && rides.witness.inside === 3);
    over.open();
    await Promise.all(calls);
    rides.witness.assertExclusion();
    expect(rides.witness.peak).toBe(3);
  });

  it('takes as many permits as it says, all or none', async () => {
    const app = await ride();
    const rides = app.get(Rides);
    const over = deferred();
    const calls = [rides.pair(() => over.opened), rides.pair(() => over.opened)];
    await until(() => bedrockOf(app).bedrock().stats().waiters === 1);
    expect(rides.witness.inside).toBe(2);
    over.open();
    await Promise.all(calls);
    rides.witness.assertExclusion();
    expect(rides.witness.peak).toBe(2);
  });

  it('keeps to the permits across processes', async () => {
    const store = new MemoryStore();
    const options = { backend: () => memory({ store }) };
    const metadata = { imports: [locksOf([SEATS], options)], providers: [Rides] };
    const apps = [await start(metadata), await start({ ...metadata, imports: [locksOf([SEATS], options)] })];
    const checker = new ExclusionChecker(SEATS.permits);
    for (const app of apps) app.get(Rides).witness = checker;
    const semaphore = bedrockOf(apps[0]!).semaphore('seats');
    const fewest: number[] = [];
    const tick = async () => void fewest.push(await semaphore.available());
    const calls = Array.from({ length: 20 }, (_, i) => {
      const rides = apps[i % 2]!.get(Rides);
      return i % 3 === 0 ? rides.pair(tick) : rides.alone(tick);
    });
    await Promise.all(calls);
    expect(Math.min(...fewest)).toBeGreaterThanOrEqual(0);
    expect(checker.assertExclusion().leases).toBe(20);
    expect(await semaphore.available()).toBe(3);
  });

  it('takes the larger share where two decorators meet on one resource', async () => {
    const app = await ride();
    const granted: number[] = [];
    const semaphore = bedrockOf(app).semaphore('seats').for('a');
    bedrockOf(app)
      .bedrock()
      .on('lease.granted', () => granted.push(1));
    await app.get(Rides).both('a', 'a');
    expect(granted).toHaveLength(1);
    await using _held = await semaphore.acquire({ permits: 2 });
    await using _rest = await bedrockOf(app).semaphore('seats').for('b').acquire({ permits: 3 });
    const crowded = app.get(Rides).both('a', 'a');
    await until(() => bedrockOf(app).bedrock().stats().waiters === 1);
    await semaphore.forceRelease();
    await crowded;
  });

  it('refuses a nested call at once that can never have its permits', async () => {
    const app = await ride();
    await expect(app.get(Rides).nested()).rejects.toMatchObject({ code: 'LOCK_SELF_DEADLOCK' });
  });
});

describe('an application does not start', () => {
  it('when a method wants more permits than there are', async () => {
    class Greedy {
      @DistributedLock({ lock: 'seats', permits: 4 })
      async run(): Promise<void> {}
    }
    const error = await startError({ imports: [locksOf([SEATS])], providers: [Greedy] });
    expect(error).toMatchObject({ code: 'INVALID_OPTION', field: 'permits' });
    expect(error.message).toBe('Greedy.run(): permits must be a whole number from 1 to 3; got 4');
  });

  it('when two decorators of one method want different numbers of permits of one resource', async () => {
    class Unsure {
      @DistributedLock({ lock: 'seats', permits: 2 })
      @DistributedLock('seats')
      async run(): Promise<void> {}
    }
    const error = await startError({ imports: [locksOf([SEATS])], providers: [Unsure] });
    expect(error).toMatchObject({ field: 'permits' });
    expect(error.message).toContain('Unsure.run(): permits must be given once for "seats" with this key');
  });

  it('when another decorator stands between, so that the permits would be taken twice', async () => {
    const Between = (_target: object, _key: string, descriptor: PropertyDescriptor) => {
      const inner = descriptor.value as () => Promise<void>;
      descriptor.value = async function (this: object) {
        await inner.call(this);
      };
    };
    class Sandwich {
      @DistributedLock('order')
      @Between
      @DistributedLock('seats')
      async run(): Promise<void> {}
    }
    const error = await startError({ imports: [locksOf(['order', SEATS])], providers: [Sandwich] });
    expect(error.message).toContain('Sandwich.run(): @DistributedLock() must be next to each other');
  });
});
