import { readFileSync } from 'node:fs';
import { jest } from '@jest/globals';
import { BackendUnavailableError, type Backend } from 'bedrock-lock';
import { MUTEX } from 'bedrock-lock/backend';
import { startProxy, type TcpProxy } from 'bedrock-servers';
import { claimOf, eventually, FREE, granted, liveness, refusalOf } from 'bedrock-testkit';
import { RedisFixture } from './fixture.js';

const fixture = new RedisFixture();

beforeAll(() => fixture.start());
afterEach(() => fixture.clean());
afterAll(() => fixture.stop());

/** What `act` is rejected with. */
async function failure(act: Promise<unknown>): Promise<BackendUnavailableError> {
  const error = await act.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof BackendUnavailableError)) throw new Error(`not unavailable: ${String(error)}`);
  return error;
}

/** No connection of any Bedrock is left. */
async function isGone(): Promise<boolean> {
  return !((await fixture.observer.client('LIST')) as string).includes('name=bedrock');
}

function pings(backend: Backend): Promise<boolean> {
  return backend.ping().then(
    () => true,
    () => false,
  );
}

describe('behind a proxy that breaks', () => {
  let proxy: TcpProxy;
  let mine: Backend;

  beforeEach(async () => {
    proxy = await startProxy(fixture.server.port);
    mine = await fixture.backend({ url: `redis://127.0.0.1:${proxy.port}`, operationTimeoutMs: 1_000 });
  });
  afterEach(() => proxy.stop());

  it('calls a lost reply unknown, within the time-out, and grants the repeated claim under the same id', async () => {
    const claim = claimOf(mine, 'lock', { tokens: 1 });
    proxy.dropReplies();
    const error = await liveness.within('an unknown result', 1_250, () => failure(mine.leases.claim(claim)));
    expect(error.executed).toBe('unknown');
    expect(await fixture.observer.hgetall('lock')).toEqual({ [claim.id]: '1' });
    proxy.dropReplies(false);
    await eventually('a new connection', () => pings(mine));
    const again = await mine.leases.claim({ ...claim, notAfter: performance.now() + 1_000 });
    expect(again.kind).toBe('granted');
    expect(await mine.leases.withdraw(claim, FREE)).toBe('released');
  });

  it('refuses a claim that was delayed beyond its time, so it leaves no orphan', async () => {
    const claim = claimOf(mine, 'lock', { notAfter: performance.now() + 1_000 });
    proxy.delay(1_300, 'requests');
    expect((await failure(mine.leases.claim(claim))).executed).toBe('unknown');
    proxy.delay(0);
    await eventually('a new connection', () => pings(mine));
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(await fixture.observer.exists('lock')).toBe(0);
  });

  it('rejects calls in flight at once when the connection is cut, and later ones as not executed', async () => {
    proxy.dropReplies();
    const under = failure(mine.leases.claim(claimOf(mine, 'lock')));
    await eventually('the execution', () => fixture.observer.exists('lock'));
    await proxy.refuse();
    proxy.cut();
    expect((await under).executed).toBe('unknown');
    const error = await failure(mine.leases.claim(claimOf(mine, 'lock')));
    expect(error.executed).toBe('no');
    expect(error.message).toContain('not connected');
    expect((await failure(mine.leases.watch('lock', MUTEX, () => undefined))).executed).toBe('no');
    expect(
      await mine.leases.renew([{ id: 'x', resource: 'lock', shape: MUTEX, leaseMs: 100, keepMs: 0 }]),
    ).toEqual(['unknown']);
    mine.leases.annotate({ id: 'x', resource: 'lock', shape: MUTEX }, { depth: 2 });
    proxy.dropReplies(false);
    await proxy.accept();
    await eventually('a new connection', () => pings(mine));
    refusalOf(await mine.leases.claim(claimOf(mine, 'lock')));
  });

  it('never sends a call of a lost connection again', async () => {
    proxy.dropRequests();
    const lost = failure(mine.leases.claim(claimOf(mine, 'lock')));
    await lost;
    proxy.dropRequests(false);
    await eventually('a new connection', () => pings(mine));
    expect(await fixture.observer.exists('lock')).toBe(0);
  });

  it('replaces a connection that hangs in its greeting', async () => {
    proxy.dropReplies();
    proxy.cut();
    await eventually('connections that hang', () => proxy.connections >= 2);
    proxy.dropReplies(false);
    await eventually('a new connection', () => pings(mine));
  });

  it('closes in time while nothing is answered', async () => {
    proxy.dropReplies();
    const under = failure(mine.leases.claim(claimOf(mine, 'lock')));
    await liveness.within('closing', 1_250, () => mine.close());
    await under;
    await eventually('the end of its connections', isGone);
  });

  it('fails ready() in time with the reason', async () => {
    await proxy.refuse();
    const late = fixture.unready({ url: `redis://127.0.0.1:${proxy.port}`, operationTimeoutMs: 400 });
    const error = await liveness.within('the failure of ready()', 2_350, () => failure(late.ready()));
    expect(error.executed).toBe('no');
    expect(error.message).toContain('ECONNREFUSED');
    await proxy.accept();
    await late.ready();
  });
});

describe('a server in trouble', () => {
  let mine: Backend;
  beforeEach(async () => {
    mine = await fixture.backend();
  });

  it('that forgot its scripts gets them again, and no caller notices', async () => {
    await fixture.observer.script('FLUSH');
    const claim = await granted(mine, 'lock');
    await fixture.observer.script('FLUSH');
    expect(await mine.leases.withdraw(claim, FREE)).toBe('released');
    expect(await mine.leases.inspect('lock', MUTEX)).toEqual([]);
  });

  it('that is full refuses claims as not executed, and still takes withdrawals', async () => {
    const claim = await granted(mine, 'lock');
    await fixture.observer.config('SET', 'maxmemory', '1');
    try {
      expect((await failure(mine.leases.claim(claimOf(mine, 'other')))).executed).toBe('no');
      expect((await failure(mine.leases.claim(claimOf(mine, 'other', { tokens: 1 })))).executed).toBe('no');
      const late = fixture.unready();
      await late.ready();
      expect(await mine.leases.withdraw(claim, FREE)).toBe('released');
    } finally {
      await fixture.observer.config('SET', 'maxmemory', '0');
    }
    await granted(mine, 'other');
  });

  it('that became a replica refuses claims as not executed, and is left for a new connection', async () => {
    await fixture.observer.call('replicaof', '127.0.0.1', '1');
    const suspected: unknown[] = [];
    mine.onSuspect((resource) => suspected.push(resource));
    try {
      expect((await failure(mine.leases.claim(claimOf(mine, 'lock')))).executed).toBe('no');
      expect((await failure(mine.leases.claim(claimOf(mine, 'lock')))).executed).toBe('no');
    } finally {
      await fixture.observer.call('replicaof', 'no', 'one');
    }
    // It serves again once it is a primary, and holds are verified then.
    await eventually('the reconnection', () => suspected.includes(undefined));
    await granted(mine, 'lock');
  });

  it('that is busy with a script refuses as not executed', async () => {
    await fixture.observer.config('SET', 'busy-reply-threshold', '50');
    const endless = fixture.observer.duplicate();
    const script = endless.eval('while true do end', 0).catch(() => undefined);
    try {
      await eventually('the script runs', () =>
        mine.ping().then(
          () => false,
          (error: BackendUnavailableError) => error.executed === 'no',
        ),
      );
      expect((await failure(mine.leases.claim(claimOf(mine, 'lock')))).executed).toBe('no');
    } finally {
      await fixture.observer.script('KILL');
      await script;
      endless.disconnect();
      await fixture.observer.config('SET', 'busy-reply-threshold', '5000');
    }
  });

  it('that is frozen gives unknown, and serves again when it thaws', async () => {
    const quick = await fixture.backend({ operationTimeoutMs: 100 });
    fixture.server.pause();
    const error = await failure(quick.leases.claim(claimOf(quick, 'lock')));
    fixture.server.resume();
    expect(error.executed).toBe('unknown');
    await eventually('a new connection', () => pings(quick));
  });

  it('that restarts loses the locks, and the holders are asked to look', async () => {
    const claim = await granted(mine, 'lock');
    const suspected: unknown[] = [];
    mine.onSuspect((resource) => suspected.push(resource));
    await fixture.server.restart();
    await eventually('the suspicion', () => suspected.includes(undefined));
    expect(await mine.leases.renew([{ ...claim, keepMs: 0 }])).toEqual(['lost']);
  });
});

describe('users with few rights', () => {
  const users: string[] = [];
  async function user(name: string, ...rules: string[]): Promise<string> {
    await fixture.observer.call('acl', 'setuser', name, 'on', '>secret', ...rules);
    users.push(name);
    return `redis://${name}:secret@127.0.0.1:${fixture.server.port}`;
  }
  afterEach(async () => {
    for (const name of users.splice(0)) await fixture.observer.call('acl', 'deluser', name);
  });

  it('are served with exactly the rights of the documentation, tokens per lock and the restart guard included', async () => {
    const page = readFileSync(new URL('../../../../docs/backends/redis.md', import.meta.url), 'utf8');
    const [, recipe = ''] = /```acl\n([^`]+)```/.exec(page) ?? [];
    const url = await user('least', ...recipe.trim().split(/\s+/));
    const options = { url, tokens: 'perLock', restartGuard: true, coldStart: 'trust' } as const;
    const [mine, other] = [await fixture.backend(options), await fixture.backend(options)];
    const claim = await granted(mine, 'shop:1', { tokens: 4 });
    refusalOf(await other.leases.claim(claimOf(other, 'shop:1')));
    const stop = await other.leases.watch('shop:1', MUTEX, () => undefined);
    stop();
    mine.leases.annotate(claim, { depth: 2 });
    expect(await mine.leases.renew([{ ...claim, keepMs: 0 }])).toEqual(['renewed']);
    expect(await mine.leases.inspect('shop:1', MUTEX)).toHaveLength(1);
    expect(await mine.leases.revoke('shop:1', MUTEX, 'atExpiry')).toBe(true);
    expect(await mine.leases.withdraw(claim, { keepMs: 50, leaveQueue: true })).toBe('released');
    expect(await mine.leases.withdraw(claim, FREE)).toBe('released');
    await granted(other, 'shop:1');
    expect(await other.leases.revoke('shop:1', MUTEX, 'now')).toBe(true);
  });

  it('get one key refused without harm to its neighbours', async () => {
    const mine = await fixture.backend({ url: await user('narrow', '~job:*', '~bedrock_*', '&*', '+@all') });
    const ask = (resource: string) => mine.leases.claim(claimOf(mine, resource));
    const [allowed, forbidden] = await Promise.allSettled([ask('job:1'), ask('secret')]);
    expect(allowed).toMatchObject({ value: { kind: 'granted' } });
    expect(forbidden).toMatchObject({ reason: { code: 'BACKEND_UNAVAILABLE', executed: 'no' } });
  });

  it('get an error at once when they may not do anything', async () => {
    await liveness.within('the refusals', 1_000, async () => {
      const nobody = fixture.unready({ url: `redis://nobody:wrong@127.0.0.1:${fixture.server.port}` });
      expect((await failure(nobody.ready())).message).toContain('WRONGPASS');
      const mute = fixture.unready({ url: await user('mute', '~*', '&*', '+@all', '-evalsha', '-eval') });
      expect((await failure(mute.ready())).message).toContain('NOPERM');
    });
  });

  it('are served without INFO and SCRIPT LOAD, with a warning', async () => {
    const warn = jest.spyOn(process, 'emitWarning').mockReturnValue(undefined);
    const url = await user('blind', '~*', '&*', '+@all', '-info', '-script');
    await fixture.observer.script('FLUSH');
    const mine = await fixture.backend({ url });
    expect(warn.mock.calls[0]![0]).toContain('maxmemory-policy');
    warn.mockRestore();
    await granted(mine, 'lock');
    const guarded = fixture.unready({ url, restartGuard: true });
    expect((await failure(guarded.ready())).message).toContain('INFO');
  });
});

describe('a server that may evict locks', () => {
  afterEach(() => fixture.observer.config('SET', 'maxmemory-policy', 'noeviction'));

  it('is warned of once, or refused when strict', async () => {
    const warn = jest.spyOn(process, 'emitWarning').mockReturnValue(undefined);
    await fixture.observer.config('SET', 'maxmemory-policy', 'allkeys-lru');
    await fixture.backend();
    await fixture.backend();
    expect(warn).toHaveBeenCalledTimes(1);
    expect(warn.mock.calls[0]).toEqual([
      expect.stringContaining('allkeys-lru'),
      { type: 'BedrockWarning', code: 'BEDROCK_EVICTION' },
    ]);
    warn.mockRestore();
    const strict = fixture.unready({ strict: true });
    const error = await failure(strict.ready());
    expect(error.message).toContain('noeviction');
    expect((await failure(strict.leases.claim(claimOf(strict, 'lock')))).executed).toBe('no');
  });
});

describe('close', () => {
  it('leaves no key and no connection, answers every call, and may be repeated', async () => {
    const mine = await fixture.backend();
    const claim = await granted(mine, 'lock');
    await mine.leases.watch('lock', MUTEX, () => undefined);
    await mine.leases.withdraw(claim, FREE);
    await Promise.all([mine.close(), mine.close()]);
    expect(await fixture.observer.keys('*')).toEqual([]);
    await eventually('the end of its connections', isGone);
    for (const call of [
      mine.ready(),
      mine.ping(),
      mine.leases.claim(claim),
      mine.leases.withdraw(claim, FREE),
      mine.leases.inspect('lock', MUTEX),
      mine.leases.watch('lock', MUTEX, () => undefined),
    ]) {
      const error = await failure(call);
      expect(error).toMatchObject({ executed: 'no', message: 'redis is unavailable: it is closed' });
    }
    expect(await mine.leases.renew([{ ...claim, keepMs: 0 }])).toEqual(['unknown']);
  });

  it('does nothing for a backend that was never used', async () => {
    const unused = fixture.unready();
    await unused.close();
    expect(unused.commands).toBe(0);
  });

  it('leaves nothing that keeps the process alive, also while it reconnects', async () => {
    const proxy = await startProxy(fixture.server.port);
    const mine = await fixture.backend({ url: `redis://127.0.0.1:${proxy.port}` });
    await proxy.stop();
    await eventually('the loss is noticed', () => pings(mine).then((isUp) => !isUp));
    const before = process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
    await mine.close();
    await eventually('the end of its timers', () => timers() < before || timers() === 0, { withinMs: 500 });
  });
});

function timers(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
}
