import { jest } from '@jest/globals';
import { Injectable, Logger, Module } from '@nestjs/common';
import { Bedrock, type LeaderTerm } from 'bedrock-lock';
import { memory, MemoryStore } from 'bedrock-lock/memory';
import { ManualClock } from 'bedrock-testkit';
import { currentLease, DistributedLock, OnLeader, type BedrockLockModuleOptions } from 'nestjs-bedrock';
import { bedrockOf, closeAll, deferred, locksOf, start, until } from '../app.js';

const BOOKS = { name: 'books', kind: 'leaderElection', restMs: 0 } as const;

let logged: jest.SpiedFunction<Logger['error']>;
let warned: jest.SpiedFunction<Logger['warn']>;
beforeEach(() => {
  logged = jest.spyOn(Logger.prototype, 'error').mockImplementation(() => {});
  warned = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => {});
});
afterEach(async () => {
  await closeAll();
  jest.restoreAllMocks();
});

/** Resolves when the term is over. */
function over({ signal }: LeaderTerm): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve());
  });
}

@Injectable()
class Books {
  readonly terms: LeaderTerm[] = [];
  ended = 0;
  body: (term: LeaderTerm) => Promise<void> = over;

  @OnLeader('books')
  async lead(term: LeaderTerm): Promise<void> {
    this.terms.push(term);
    await this.body(term);
    this.ended += 1;
  }
}

async function booksOf(options: Partial<BedrockLockModuleOptions> = {}, body = over) {
  const provider = { provide: Books, useFactory: () => Object.assign(new Books(), { body }) };
  const app = await start({ imports: [locksOf([BOOKS], options)], providers: [provider] });
  return { app, books: app.get(Books), bedrock: bedrockOf(app) };
}

describe('@OnLeader()', () => {
  it('runs the method in one of several processes, and in the next when that closes', async () => {
    const store = new MemoryStore();
    const options = { backend: () => memory({ store }), shutdownGraceMs: 10_000 };
    const one = await booksOf(options);
    await until(() => one.books.terms.length === 1);
    const other = await booksOf(options);
    await until(() => other.bedrock.bedrock().stats().waiters === 1);
    expect(other.books.terms).toEqual([]);
    const [first] = one.books.terms;
    expect(first!.isLeading).toBe(true);
    expect(one.bedrock.leaderElection('books').isLeader).toBe(true);
    await one.app.close();
    expect(first!.signal.reason).toMatchObject({ code: 'LEADERSHIP_RESIGNED' });
    expect(one.books.ended).toBe(1);
    await until(() => other.books.terms.length === 1);
    expect(other.books.terms[0]!.token).toBeGreaterThan(first!.token);
  });

  it('runs it again when its term has ended, and when leadership was lost', async () => {
    const store = new MemoryStore();
    const { books } = await booksOf({ backend: () => memory({ store }) });
    await until(() => books.terms.length === 1);
    await using rival = new Bedrock({ backend: memory({ store }) });
    await rival.mutex('books').forceRelease();
    await until(() => books.terms.length === 2);
    expect(books.terms[0]!.signal.reason).toMatchObject({ code: 'LOCK_LOST' });
    books.body = async () => {};
    await rival.mutex('books').forceRelease();
    await until(() => books.ended >= 4);
    const tokens = books.terms.map(({ token }) => token);
    expect(tokens).toEqual([...new Set(tokens)].sort((one, next) => one - next));
    expect(logged).not.toHaveBeenCalled();
  });

  it('logs its errors, and stands again after a pause that doubles while it fails', async () => {
    const clock = new ManualClock();
    let failures = 0;
    const { books } = await booksOf({ backend: () => memory({ clock }), clock }, async () => {
      throw new TypeError(`failure ${(failures += 1)}`);
    });
    await clock.settle();
    const errors = () =>
      logged.mock.calls.map(([message, stack]) => [message as unknown, String(stack).split('\n')[0]]);
    const failure = (n: number) => [
      'Books.lead() failed; it stands again after a pause',
      `TypeError: failure ${n}`,
    ];
    expect(errors()).toEqual([failure(1)]);
    for (const [index, pauseMs] of [1_000, 2_000, 4_000].entries()) {
      await clock.advance(pauseMs - 1);
      expect(errors()).toHaveLength(index + 1);
      await clock.advance(1);
      expect(errors()).toHaveLength(index + 2);
    }
    const ends = deferred();
    books.body = () => ends.opened;
    await clock.advance(8_000);
    expect(books.terms).toHaveLength(5);
    books.body = async () => {
      throw new TypeError('failure again');
    };
    ends.open();
    await clock.settle();
    await clock.advance(1);
    expect(errors()).toHaveLength(5);
    await clock.advance(1_000);
    expect(errors()).toHaveLength(6);
  });

  it('logs what the method throws after its term, unless it is the reason of the signal', async () => {
    const { app, books, bedrock } = await booksOf({ shutdownGraceMs: 10_000 });
    await until(() => books.terms.length === 1);
    books.body = async (term) => {
      await over(term);
      throw new TypeError('too late');
    };
    bedrock.leaderElection('books').resign();
    await until(() => books.terms.length === 2);
    expect(logged).not.toHaveBeenCalled();
    bedrock.leaderElection('books').resign();
    await until(() => logged.mock.calls.length === 1);
    expect(logged.mock.calls[0]![0]).toBe('Books.lead() failed after its term');
    books.body = async ({ signal }) => signal.throwIfAborted();
    await app.close();
  });

  it('warns of a method that goes on after its term', async () => {
    const clock = new ManualClock();
    const ends = deferred();
    const options = { backend: () => memory({ clock }), clock };
    const { bedrock } = await booksOf(options, () => ends.opened);
    await clock.settle();
    bedrock.leaderElection('books').resign();
    await clock.advance(30_000);
    expect(warned.mock.calls).toEqual([
      [
        'Books.lead() still runs 30000 ms after its term: make it observe term.signal',
        expect.objectContaining({ event: 'leader.overrun', resource: 'books', overdueMs: 30_000 }),
      ],
    ]);
    ends.open();
  });

  it('waits for the method when the application closes, but not longer than the grace', async () => {
    const { app, books } = await booksOf({ shutdownGraceMs: 30 }, () => new Promise(() => {}));
    await until(() => books.terms.length === 1);
    await app.close();
    expect(warned.mock.calls.map(([line]) => line as unknown)).toEqual([
      'Books.lead() still runs 30 ms after its signal aborted; it leads until the locks close',
    ]);
    expect(books.terms[0]!.isLeading).toBe(false);
  });

  it('lists the method at debug level', async () => {
    const debug = jest.spyOn(Logger.prototype, 'debug').mockImplementation(() => {});
    await booksOf();
    expect(debug.mock.calls.map(([line]) => line as unknown)).toEqual(['Books.lead() leads books']);
  });
});

describe('a leader', () => {
  const events: string[] = [];
  beforeEach(() => events.splice(0));

  @Injectable()
  class Other {
    async onApplicationBootstrap(): Promise<void> {
      await new Promise((resolve) => setImmediate(resolve));
      events.push('bootstrapped');
    }
    async onModuleDestroy(): Promise<void> {
      events.push('destroyed');
    }
  }
  @Injectable()
  class Leader {
    @OnLeader('books')
    async lead(term: LeaderTerm): Promise<void> {
      events.push('elected');
      await over(term);
      await new Promise((resolve) => setImmediate(resolve));
      events.push('resigned');
    }
  }

  it.each([true, false])(
    'leads from the last hook of the start to the first of the end; isGlobal: %p',
    async (isGlobal) => {
      const locks = locksOf([BOOKS], { isGlobal, shutdownGraceMs: 10_000 });
      @Module({ providers: [Other] })
      class Before {}
      @Module({ imports: [Before], providers: [Other] })
      class After {}
      const app = await start({ imports: [Before, locks, After], providers: [Leader, Other] });
      await until(() => events.includes('elected'));
      await app.close();
      const hooks = (hook: string) => Array(3).fill(hook) as string[];
      expect(events).toEqual([...hooks('bootstrapped'), 'elected', 'resigned', ...hooks('destroyed')]);
    },
  );

  it('may be inherited, overridden, made by a factory or a value, and seen under several tokens', async () => {
    const seen: string[] = [];
    class Base {
      readonly name: string = 'base';
      @OnLeader('a')
      async lead(_term: LeaderTerm): Promise<void> {
        seen.push(`${this.name} a`);
        await over(_term);
      }
      @OnLeader('b')
      async dropped(_term: LeaderTerm): Promise<void> {
        seen.push('never');
      }
      @OnLeader('c')
      async changed(_term: LeaderTerm): Promise<void> {
        seen.push('never');
      }
    }
    class Derived extends Base {
      override readonly name = 'derived';
      override async dropped(): Promise<void> {}
      @OnLeader('d')
      override async changed(term: LeaderTerm): Promise<void> {
        seen.push(`${this.name} d`);
        await over(term);
      }
    }
    class Made {
      @OnLeader('e')
      async lead(term: LeaderTerm): Promise<void> {
        seen.push('made e');
        await over(term);
      }
      @OnLeader('f')
      async second(term: LeaderTerm): Promise<void> {
        seen.push('made f');
        await over(term);
      }
    }
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const providers = [
      Derived,
      { provide: 'alias', useExisting: Derived },
      { provide: 'made', useFactory: () => new Made() },
    ];
    const locks = locksOf(names.map((name) => ({ name, kind: 'leaderElection' })));
    const app = await start({ imports: [locks], providers });
    await until(() => seen.length === 4);
    expect(seen.sort()).toEqual(['derived a', 'derived d', 'made e', 'made f']);
    expect(app.get<Derived>('alias')).toBe(app.get(Derived));
  });

  it('may hold a lock in its term, wherever the decorators stand', async () => {
    const seen: unknown[] = [];
    class Locked {
      @OnLeader('books')
      @DistributedLock('above')
      async above(term: LeaderTerm): Promise<void> {
        seen.push([currentLease()?.resource, term.isLeading]);
        await over(term);
      }
      @DistributedLock('below')
      @OnLeader('shelves')
      async below(term: LeaderTerm): Promise<void> {
        seen.push([currentLease()?.resource, term.isLeading]);
        await over(term);
      }
    }
    const shelves = { name: 'shelves', kind: 'leaderElection' } as const;
    await start({ imports: [locksOf([BOOKS, shelves, 'above', 'below'])], providers: [Locked] });
    await until(() => seen.length === 2);
    expect(seen).toEqual(expect.arrayContaining([['above', true], ['below', true]])); // prettier-ignore
  });

  it('stands where its election is', async () => {
    class Far {
      terms = 0;
      @OnLeader({ election: 'books', backend: 'far' })
      async lead(term: LeaderTerm): Promise<void> {
        this.terms += 1;
        await over(term);
      }
    }
    const backends = { default: () => memory(), far: () => memory() };
    const locks = locksOf([BOOKS, { ...BOOKS, backend: 'far' }], { backends });
    const app = await start({ imports: [locks], providers: [Far] });
    await until(() => app.get(Far).terms === 1);
    expect(bedrockOf(app).bedrock('far').stats().holds).toBe(1);
  });
});
