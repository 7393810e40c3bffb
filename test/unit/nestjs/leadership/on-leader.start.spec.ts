import { Inject, Injectable, Scope, type Type } from '@nestjs/common';
import { Bedrock, type LeaderTerm } from 'bedrock-lock';
import { memory, MemoryStore } from 'bedrock-lock/memory';
import { OnLeader } from 'nestjs-bedrock';
import { closeAll, errorOf, locksOf, start, startError } from '../app.js';

const BOOKS = { name: 'books', kind: 'leaderElection' } as const;

afterEach(closeAll);

describe('an application does not start with @OnLeader()', () => {
  function leading(decorator = OnLeader('books')): Type<object> {
    class Leader {
      @decorator
      async lead(_term: LeaderTerm): Promise<void> {}
    }
    return Leader;
  }
  const why = (
    locks: Parameters<typeof locksOf>[0],
    ...providers: Parameters<typeof start>[0]['providers'] & {}
  ) => startError({ imports: [locksOf(locks)], providers });

  it('on an election that is not registered', async () => {
    const error = await why([], leading());
    expect(error).toMatchObject({ code: 'INVALID_OPTION' });
    expect(error.message).toContain(
      "Leader.lead(): lock must be registered: add { name: 'books', kind: 'leaderElection' } to the locks of",
    );
  });

  it('on a lock of another kind', async () => {
    const error = await why(['books'], leading());
    expect(error).toMatchObject({ code: 'INVALID_OPTION', field: 'election' });
    expect(error.message).toContain(
      `Leader.lead(): election must be registered with kind: 'leaderElection', and "books" is a mutex`,
    );
  });

  it.each([Scope.REQUEST, Scope.TRANSIENT])('in a provider of scope %p', async (scope) => {
    const Leader = leading();
    Injectable({ scope })(Leader);
    const error = await why([BOOKS], Leader);
    expect(error).toMatchObject({ code: 'INVALID_OPTION', field: '@OnLeader()' });
    expect(error.message).toContain('Leader.lead(): @OnLeader() must be in a provider of the default scope');
  });

  it('in a provider that is made for each request because of what it needs', async () => {
    @Injectable({ scope: Scope.REQUEST })
    class Request {}
    @Injectable()
    class Leader {
      constructor(@Inject(Request) readonly request: Request) {}
      @OnLeader('books')
      async lead(_term: LeaderTerm): Promise<void> {}
    }
    expect(await why([BOOKS], Request, Leader)).toMatchObject({ field: '@OnLeader()' });
  });

  it('on two methods, or in two providers, for one election', async () => {
    const error = await why([BOOKS], leading(), { provide: 'again', useClass: leading() });
    expect(error).toMatchObject({ code: 'INVALID_OPTION', field: 'election' });
    expect(error.message).toContain(
      'Leader.lead(): election must be led by one method of one provider, which may call others; Leader.lead() leads "books" already',
    );
  });

  it('and stops no other application: it has begun nothing', async () => {
    const elected: unknown[] = [];
    const store = new MemoryStore();
    await using watcher = new Bedrock({ backend: memory({ store }) });
    class Failing {
      async onApplicationBootstrap(): Promise<void> {
        throw new TypeError('no');
      }
    }
    const locks = locksOf([BOOKS], { backend: () => memory({ store }) });
    expect(await startError({ imports: [locks], providers: [leading(), Failing] })).toBeInstanceOf(TypeError);
    elected.push(await watcher.mutex('books').inspect());
    expect(elected).toEqual([[]]);
  });
});

describe('a bad @OnLeader() is refused when the class is defined', () => {
  it.each([
    ['election', ''],
    ['election', { election: '' }],
    ['election', {}],
    ['election', { election: 5 }],
    ['options', undefined],
    ['options', null],
    ['options', 5],
    ['options', ['books']],
    ['options.lock', { lock: 'books', election: 'books' }],
    ['backend', { election: 'books', backend: '' }],
    ['backend', { election: 'books', backend: null }],
    ['backOffMs', { election: 'books', backOffMs: -1 }],
    ['backOffMs', { election: 'books', backOffMs: NaN }],
    ['backOffMs', { election: 'books', backOffMs: Infinity }],
    ['backOffMs', { election: 'books', backOffMs: '5' }],
    ['backOffMs', { election: 'books', backOffMs: null }],
  ])('%s: %j', (field, options) => {
    expect(errorOf(() => OnLeader(options as never))).toMatchObject({ code: 'INVALID_OPTION', field });
  });

  it('anywhere but on an instance method, and twice on one', () => {
    const decorator = OnLeader('books') as (...args: unknown[]) => void;
    const method = { value: async () => {} };
    const places: unknown[][] = [
      [class {}, 'lead', method],
      [{}, 'lead', undefined],
      [{}, 'lead', { get: () => 5 }],
      [async () => {}, { kind: 'method' }],
    ];
    for (const place of places) {
      expect(errorOf(() => decorator(...place))).toMatchObject({ field: '@OnLeader()' });
    }
    const target = {};
    decorator(target, 'lead', method);
    expect(errorOf(() => decorator(target, 'lead', method))).toMatchObject({ field: '@OnLeader()' });
  });
});
