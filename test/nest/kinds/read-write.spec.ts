import { Injectable } from '@nestjs/common';
import { memory, MemoryStore } from 'bedrock-lock/memory';
import { DistributedLock } from 'nestjs-bedrock';
import { bedrockOf, closeAll, gate, locksOf, start, startError, until } from '../app.js';

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
  it('read beside each other, over processes, and write alone', async () => {
    const store = new MemoryStore();
    const options = { backend: () => memory({ store }) };
    const apps = [await configured(options), await configured(options)];
    const [one, other] = apps.map((app) => app.get(Config)) as [Config, Config];
    const over = gate();
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
    const inside = gate();
    const over = gate();
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
    expect(error.message).toContain(`mode must be left out: "config" is a ${kind}, no readWriteLock`);
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
    expect(error.message).toContain('Both.run(): mode must be said once for "config" with this key');
  });
});
