import { Injectable } from '@nestjs/common';
import { memory, MemoryStore } from 'bedrock-lock/memory';
import { DistributedLock } from 'nestjs-bedrock';
import { bedrockOf, closeAll, gate, locksOf, start, startError, until } from '../app.js';

afterEach(closeAll);

const SEATS = { name: 'seats', kind: 'semaphore', permits: 3 } as const;

@Injectable()
class Rides {
  inside = 0;
  most = 0;

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
    this.most = Math.max(this.most, (this.inside += people));
    await body();
    this.inside -= people;
  }
}

const ride = () => start({ imports: [locksOf([SEATS])], providers: [Rides] });

describe('a method under a semaphore', () => {
  it('runs as often at once as there are permits, one for each call', async () => {
    const app = await ride();
    const rides = app.get(Rides);
    const over = gate();
    const calls = Array.from({ length: 4 }, () => rides.alone(() => over.opened));
    await until(() => bedrockOf(app).bedrock().stats().waiters === 1 && rides.inside === 3);
    over.open();
    await Promise.all(calls);
    expect(rides.most).toBe(3);
  });

  it('takes as many permits as it says, all or none', async () => {
    const app = await ride();
    const rides = app.get(Rides);
    const over = gate();
    const calls = [rides.pair(() => over.opened), rides.pair(() => over.opened)];
    await until(() => bedrockOf(app).bedrock().stats().waiters === 1);
    expect(rides.inside).toBe(2);
    over.open();
    await Promise.all(calls);
    expect(rides.most).toBe(2);
  });

  it('keeps to the permits over processes', async () => {
    const store = new MemoryStore();
    const options = { backend: () => memory({ store }) };
    const metadata = { imports: [locksOf([SEATS], options)], providers: [Rides] };
    const apps = [await start(metadata), await start({ ...metadata, imports: [locksOf([SEATS], options)] })];
    const semaphore = bedrockOf(apps[0]!).semaphore('seats');
    const fewest: number[] = [];
    const tick = async () => void fewest.push(await semaphore.available());
    const calls = Array.from({ length: 20 }, (_, i) => {
      const rides = apps[i % 2]!.get(Rides);
      return i % 3 === 0 ? rides.pair(tick) : rides.alone(tick);
    });
    await Promise.all(calls);
    expect(Math.min(...fewest)).toBeGreaterThanOrEqual(0);
    expect(apps.map((app) => app.get(Rides).most).every((most) => most <= 3)).toBe(true);
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
    expect(error.message).toContain('Unsure.run(): permits must be said once for "seats" with this key');
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
