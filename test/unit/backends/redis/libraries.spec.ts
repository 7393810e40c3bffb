import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { BackendUnavailableError, Bedrock, LockTypeMismatchError, type Backend } from 'bedrock-lock';
import { MUTEX } from 'bedrock-lock/backend';
import { redis } from 'bedrock-lock/redis';
import { startProxy, type TcpProxy } from 'bedrock-servers';
import { claimOf, eventually, FREE, granted, liveness, ManualClock, refusalOf } from 'bedrock-testkit';
import { RedisFixture } from './fixture.js';
import { MARK, secretsIn } from '../../../support/marked-secret.js';
import { clientOf, LIBRARIES } from './libraries.mjs';

const fixture = new RedisFixture();
const CHANNEL = 'redisson_lock__channel:{lock}';

beforeAll(() => fixture.start());
afterEach(() => fixture.clean());
afterAll(() => fixture.stop());

async function failure(act: Promise<unknown>): Promise<unknown> {
  return act.then(
    () => 'none',
    (error: unknown) => error,
  );
}

function serves(backend: Backend): Promise<boolean> {
  return backend.ping().then(
    () => true,
    () => false,
  );
}

async function connections(): Promise<number> {
  const clients = String(await fixture.observer.client('LIST'));
  return clients.match(/name=bedrock /g)?.length ?? 0;
}

describe.each(LIBRARIES)('through %s', (library) => {
  const open = (url = fixture.server.url, operationTimeoutMs = 500): Promise<Backend> =>
    fixture.backend({ client: clientOf(library, url), operationTimeoutMs });

  it('a name of any text is one lock', async () => {
    const [mine, other] = [await open(), await open()];
    for (const name of ['plain', 'Käse 😀\u0000{é}', '\u00ff\u0080']) {
      const claim = await granted(mine, name, { tokens: 2 });
      expect(await fixture.observer.hgetall(name)).toEqual({ [claim.id]: '1' });
      expect(refusalOf(await other.leases.claim(claimOf(other, name)))).toMatchObject({
        holder: { id: claim.id },
      });
      expect(await mine.leases.inspect(name, MUTEX)).toMatchObject([
        { id: claim.id, resource: name, depth: 1 },
      ]);
      expect(await mine.leases.withdraw(claim, FREE)).toBe('released');
    }
  });

  it('the database and the user of the client are kept', async () => {
    await fixture.observer.call('acl', 'setuser', 'third', 'on', '>p@ss/word', '~*', '&*', '+@all');
    const { port } = fixture.server;
    await granted(await open(`redis://third:p%40ss%2Fword@127.0.0.1:${port}/3`), 'lock');
    const users = String(await fixture.observer.client('LIST')).match(/name=bedrock .*db=3 .*user=third/g);
    expect(users).toHaveLength(2);
    await fixture.observer.select(3);
    expect(await fixture.observer.exists('lock')).toBe(1);
    await fixture.observer.select(0);
  });

  it('a wrong password is reported at once, and shown nowhere', async () => {
    const url = `redis://nobody:${MARK}@127.0.0.1:${fixture.server.port}`;
    const bedrock = new Bedrock({ backend: fixture.unready({ client: clientOf(library, url) }) });
    const events: unknown[] = [];
    bedrock.on('backend.unavailable', (event) => events.push(event));
    const error = await liveness.within('the refusal of a password', 900, () => failure(bedrock.ready()));
    expect(error).toBeInstanceOf(BackendUnavailableError);
    expect((error as Error).message).toContain('WRONGPASS');
    const refused = await failure(bedrock.mutex('lock').acquire({ failFast: true }));
    expect(secretsIn({ bedrock, error, refused, events })).toEqual([]);
    expect([secretsIn(error), secretsIn(refused), secretsIn(events)]).toEqual([[], [], []]);
    await bedrock.close({ graceMs: 0 });
  });

  it('a killed connection comes back, its watchers are woken, and grants are to be verified', async () => {
    const [mine, other] = [await open(), await open()];
    let wakes = 0;
    let suspected = 0;
    await mine.leases.watch('lock', MUTEX, () => (wakes += 1));
    mine.onSuspect(() => (suspected += 1));
    await fixture.observer.call('client', 'kill', 'type', 'pubsub');
    await fixture.observer.call('client', 'kill', 'type', 'normal', 'skipme', 'yes');
    await eventually('the wake and the suspicion', () => wakes === 1 && suspected === 1);
    await eventually('the other serves', () => serves(other));
    const claim = await granted(other, 'lock');
    await other.leases.withdraw(claim, FREE);
    await eventually('the next wake', () => wakes === 2);
    await eventually('four connections', async () => (await connections()) === 4);
  });

  it('a watch that ends and begins anew at once still hears', async () => {
    const mine = await open();
    let wakes = 0;
    for (let turn = 0; turn < 20; turn += 1) (await mine.leases.watch('lock', MUTEX, () => undefined))();
    await mine.leases.watch('lock', MUTEX, () => (wakes += 1));
    // Confirmed after all that was sent before.
    await mine.leases.watch('other', MUTEX, () => undefined);
    await fixture.observer.publish(CHANNEL, '0');
    await eventually('the wake', () => wakes === 1);
  });

  it('scripts that the server forgot are sent again, and another type of key is reported', async () => {
    const mine = await open();
    await fixture.observer.script('FLUSH');
    const claim = await granted(mine, 'lock');
    await fixture.observer.script('FLUSH');
    expect(await mine.leases.withdraw(claim, FREE)).toBe('released');
    await fixture.observer.set('text', 'no lock');
    expect(await failure(mine.leases.claim(claimOf(mine, 'text')))).toBeInstanceOf(LockTypeMismatchError);
    expect(await failure(mine.leases.inspect('text', MUTEX))).toBeInstanceOf(LockTypeMismatchError);
  });

  it('a stopped server gives unknown, and serves again when it goes on', async () => {
    const mine = await open(fixture.server.url, 100);
    fixture.server.pause();
    const error = await failure(mine.leases.claim(claimOf(mine, 'lock')));
    fixture.server.resume();
    expect(error).toMatchObject({ code: 'BACKEND_UNAVAILABLE', executed: 'unknown' });
    await eventually('a new connection', () => serves(mine));
  });

  it('close ends every connection and every timer, also while it connects', async () => {
    const proxy = await startProxy(fixture.server.port);
    const client = clientOf(library, `redis://127.0.0.1:${proxy.port}`);
    const [served, greeting, unreachable] = [fixture.unready({ client }), fixture.unready({ client }), fixture.unready({ client })]; // prettier-ignore
    await served.ready();
    await granted(served, 'lock');
    proxy.dropReplies();
    void greeting.ready().catch(() => undefined);
    await eventually('greetings', () => proxy.connections === 4);
    await Promise.all([served.close(), greeting.close()]);
    await eventually('the end of the connections', async () => (await connections()) === 0);
    await proxy.stop();
    const error = failure(unreachable.ready());
    await eventually('an attempt', () => serves(unreachable).then((isUp) => !isUp));
    await unreachable.close();
    expect(await error).toMatchObject({ code: 'BACKEND_UNAVAILABLE', executed: 'no' });
    await eventually('the end of the connections', async () => (await connections()) === 0);
  });

  it('close ends the attempts to connect', async () => {
    const clock = new ManualClock();
    const client = clientOf(library, 'redis://127.0.0.1:1');
    const backend = fixture.unready({ client, clock });
    const error = failure(backend.ready());
    await eventually('a refused attempt', async () => {
      await clock.advance(1);
      return clock.now() > 100;
    });
    await backend.close();
    expect(await error).toMatchObject({ executed: 'no', detail: expect.stringContaining('closed') });
    expect(clock.pendingTimers).toBe(0);
  });

  describe('behind a proxy that breaks', () => {
    let proxy: TcpProxy;
    let mine: Backend;
    beforeEach(async () => {
      proxy = await startProxy(fixture.server.port);
      mine = await open(`redis://127.0.0.1:${proxy.port}`);
    });
    afterEach(() => proxy.stop());

    it('a half-open connection is replaced, and nothing of it is sent again', async () => {
      proxy.dropRequests();
      const error = await failure(mine.leases.claim(claimOf(mine, 'lock')));
      expect(error).toMatchObject({ executed: 'unknown' });
      proxy.dropRequests(false);
      await eventually('a new connection', () => serves(mine));
      expect(await fixture.observer.exists('lock')).toBe(0);
    });

    it('a cut connection fails its calls at once, and those that come meanwhile are not sent later', async () => {
      proxy.dropReplies();
      const under = failure(mine.leases.claim(claimOf(mine, 'lock')));
      await eventually('the execution', () => fixture.observer.exists('lock'));
      await proxy.refuse();
      const cut = await liveness.within('the failure of a cut call', 100, () => {
        proxy.cut();
        return under;
      });
      expect(cut).toMatchObject({ executed: 'unknown' });
      const refused = await failure(mine.leases.claim(claimOf(mine, 'later')));
      expect(refused).toMatchObject({ executed: 'no', message: expect.stringContaining('not connected') });
      proxy.dropReplies(false);
      await proxy.accept();
      await eventually('a new connection', () => serves(mine));
      expect(await fixture.observer.exists('later')).toBe(0);
    });

    it('a connection that hangs in its greeting is replaced', async () => {
      proxy.dropReplies();
      proxy.cut();
      await eventually('connections that hang', () => proxy.connections >= 2);
      proxy.dropReplies(false);
      await eventually('a new connection', () => serves(mine));
    });

    it('a subscription that is lost silently is noticed and made again', async () => {
      let wakes = 0;
      await mine.leases.watch('lock', MUTEX, () => (wakes += 1));
      proxy.dropReplies();
      await fixture.observer.publish(CHANNEL, '0');
      await eventually('the loss is noticed', () => serves(mine).then((isUp) => !isUp));
      proxy.dropReplies(false);
      expect(wakes).toBe(0);
      await eventually('the wake after the reconnection', () => wakes === 1, { withinMs: 8_000 });
      await fixture.observer.publish(CHANNEL, '0');
      await eventually('a wake', () => wakes === 2);
    }, 15_000);
  });

  it('serves a Bedrock whose client is never touched', async () => {
    const client = clientOf(library, fixture.server.url);
    const { options } = client as { options?: object };
    const before = Object.entries(options ?? {});
    const [one, other] = [1, 2].map(() => new Bedrock({ backend: redis(client) }));
    const held = await one!.mutex('job', { leaseMs: 1_500 }).acquire();
    const waiting = other!.mutex('job').acquire();
    await new Promise((resolve) => one!.on('lease.renewed', resolve));
    expect(await held.release()).toBe('released');
    expect((await waiting).token).toBeGreaterThan(held.token);
    await Promise.all([one, other].map((bedrock) => bedrock!.close({ graceMs: 0 })));
    expect(Object.entries(options ?? {})).toEqual(before);
    expect(await connections()).toBe(0);
  });
});
