import { Injectable, mixin, type Type } from '@nestjs/common';
import { LockBusyError } from 'bedrock-lock';
import { currentLease, DistributedLock, LockKey } from 'nestjs-bedrock';
import { bedrockOf, closeAll, locksOf, start, startError } from '../app.js';

afterEach(closeAll);

const held = () => currentLease()?.resource;

class Parent {
  @DistributedLock('parent')
  async both(): Promise<unknown[]> {
    return [held()];
  }

  @DistributedLock('parent')
  async onlyHere(): Promise<unknown> {
    return held();
  }

  async onlyBelow(): Promise<unknown> {
    return held();
  }

  @DistributedLock('parent')
  async keyed(@LockKey() _id: string): Promise<unknown> {
    return held();
  }
}

@Injectable()
class Child extends Parent {
  @DistributedLock('child')
  override async both(): Promise<unknown[]> {
    return [held(), ...(await super.both()), held()];
  }

  override async onlyHere(): Promise<unknown> {
    return held();
  }

  @DistributedLock('child')
  override async onlyBelow(): Promise<unknown> {
    return super.onlyBelow();
  }

  @DistributedLock('child')
  override async keyed(id: string): Promise<unknown> {
    return [held(), await super.keyed(id)];
  }
}

@Injectable()
class SameLock extends Parent {
  @DistributedLock('parent')
  override async both(): Promise<unknown[]> {
    return [held(), ...(await super.both())];
  }
}

const app = (...providers: Type[]) => start({ imports: [locksOf(['parent', 'child'])], providers });

describe('a method that a subclass overrides', () => {
  it('takes the lock of each that is decorated, the outer one first', async () => {
    const child = (await app(Child)).get(Child);
    expect(await child.both()).toEqual(['child', 'parent', 'child']);
  });

  it('is not locked when the overriding one is not decorated', async () => {
    expect(await (await app(Child)).get(Child).onlyHere()).toBeUndefined();
  });

  it('is locked when only the overriding one is decorated, and the parent stays as it was', async () => {
    const running = await app(Child, Parent);
    expect(await running.get(Child).onlyBelow()).toBe('child');
    expect(await running.get(Parent).onlyBelow()).toBeUndefined();
    expect(await running.get(Parent).both()).toEqual(['parent']);
  });

  it('has the @LockKey() parameters of its own declaration only', async () => {
    expect(await (await app(Child)).get(Child).keyed('a')).toEqual(['child', 'parent:a']);
  });

  it('enters the same lock once more', async () => {
    expect(await (await app(SameLock)).get(SameLock).both()).toEqual(['parent', 'parent']);
  });

  it('fails at once where the same lock is not re-entrant', async () => {
    const imports = [locksOf([{ name: 'parent', reentrant: false }])];
    const running = await start({ imports, providers: [SameLock] });
    await expect(running.get(SameLock).both()).rejects.toMatchObject({ code: 'LOCK_SELF_DEADLOCK' });
  });
});

describe('an abstract class', () => {
  abstract class Importer {
    abstract readonly source: string;
    protected abstract read(): Promise<unknown>;

    @DistributedLock({
      lock: 'parent',
      key(this: Importer) {
        return this.source;
      },
    })
    async run(): Promise<unknown> {
      return this.read();
    }
  }

  @Injectable()
  class FromShop extends Importer {
    readonly source = 'shop';
    protected async read(): Promise<unknown> {
      return held();
    }
  }

  @Injectable()
  class FromBank extends Importer {
    readonly source = 'bank';
    protected async read(): Promise<unknown> {
      return held();
    }
  }

  it('gives its locked methods to every class below it', async () => {
    const running = await app(FromShop, FromBank);
    expect(await running.get(FromShop).run()).toBe('parent:shop');
    expect(await running.get(FromBank).run()).toBe('parent:bank');
  });
});

describe('a mixin', () => {
  const jobFor = (key: string): Type<{ run(): Promise<unknown> }> => {
    class Job {
      @DistributedLock({ lock: 'parent', key })
      async run(): Promise<unknown> {
        return held();
      }
    }
    return mixin(Job);
  };

  it('has a lock of its own for each class that it makes', async () => {
    const [First, Second] = [jobFor('1'), jobFor('2')];
    const running = await app(First, Second);
    expect(await running.get(First).run()).toBe('parent:1');
    expect(await running.get(Second).run()).toBe('parent:2');
  });

  it('may stand between two classes', async () => {
    const Locked = (base: Type<Child>) => {
      class Mixed extends base {
        @DistributedLock('child')
        async mixed(): Promise<unknown> {
          return held();
        }
      }
      return Mixed;
    };
    @Injectable()
    class Whole extends Locked(Child) {
      @DistributedLock('parent')
      override async mixed(): Promise<unknown> {
        return [held(), await super.mixed()];
      }
    }
    expect(await (await app(Whole)).get(Whole).mixed()).toEqual(['parent', 'child']);
    expect(await (await app(Whole)).get(Whole).both()).toEqual(['child', 'parent', 'child']);
  });
});

describe('a method named by a symbol', () => {
  const run = Symbol('run');

  it('is locked, checked and named like any other', async () => {
    class Named {
      @DistributedLock({ lock: 'child', waitMs: 0 })
      async [run](): Promise<unknown> {
        return held();
      }
    }
    const running = await app(Named);
    expect(await running.get(Named)[run]()).toBe('child');
    await using _held = await bedrockOf(running).lock('child').acquire();
    await expect(running.get(Named)[run]()).rejects.toThrow(LockBusyError);
    const error = await startError({ imports: [locksOf()], providers: [Named] });
    expect(error.message).toContain('Named.Symbol(run)(): lock must be registered');
  });
});
