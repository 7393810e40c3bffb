import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Bedrock, multiLock, type Backend } from 'bedrock-lock';
import type { Verdict } from 'bedrock-lock/backend';
import { redis, type RedisOptions } from 'bedrock-lock/redis';
import { startRedis, type RunningServer } from 'bedrock-servers';
import { claimOf, eventually, FREE, granted, liveness, refusalOf } from 'bedrock-testkit';
import { Redis } from 'ioredis';
import { RedisFixture } from './fixture.js';
import { leastUser } from './least-rights.js';
import { clientOf, LIBRARIES } from './libraries.mjs';

const fixture = new RedisFixture();
let replica: RunningServer;
let copy: Redis;
const bedrocks: Bedrock[] = [];

/** A primary with one replica that is in step. */
beforeAll(async () => {
  await fixture.start({ args: ['--repl-diskless-sync-delay', '0'] });
  replica = await startRedis({ args: ['--replicaof', '127.0.0.1', String(fixture.server.port)] });
  copy = new Redis(replica.port);
  await eventually(
    'the replica is in step',
    async () => Number(await fixture.observer.call('wait', 1, 100)) === 1,
  );
}, 30_000);
afterEach(async () => {
  replica.resume();
  await Promise.all(bedrocks.splice(0).map((bedrock) => bedrock.close({ graceMs: 0 })));
  await fixture.clean();
});
afterAll(async () => {
  copy.disconnect();
  await replica.stop();
  await fixture.stop();
});

const acks = { replicaAcks: { count: 1, timeoutMs: 300 }, operationTimeoutMs: 1_000 };
/** For a replica that has no time for long. */
const patientAcks = { replicaAcks: { count: 1, timeoutMs: 1_000 }, operationTimeoutMs: 3_000 };

function bedrockOf(options: RedisOptions = acks): Bedrock {
  const bedrock = new Bedrock({ backend: redis({ url: fixture.server.url, ...options }) });
  bedrocks.push(bedrock);
  return bedrock;
}

const isGranted = ({ kind }: Verdict) => kind === 'granted';
const isFree = async (resource: string) => (await fixture.observer.exists(resource)) === 0;
const unavailable = { code: 'BACKEND_UNAVAILABLE', message: expect.stringContaining('0 of 1 replicas') };

describe.each(LIBRARIES)('grants that a replica has acknowledged, through %s', (library) => {
  let mine: Backend;
  beforeEach(async () => {
    mine = await fixture.backend({ client: clientOf(library, fixture.server.url), ...patientAcks });
  });

  it('are on the replica when they are answered, and cost one command for a batch', async () => {
    for (let turn = 0; turn < 20; turn += 1) {
      const claim = await granted(mine, 'lock');
      expect(await copy.exists('lock')).toBe(1);
      await mine.leases.withdraw(claim, FREE);
    }
    const before = mine.commands;
    await Promise.all(Array.from({ length: 16 }, (_, i) => granted(mine, `lock:${i}`)));
    expect(mine.commands - before).toBe(2);
  });

  it('are not given while the replica is stopped, and are given again when it goes on', async () => {
    // The pause takes a while on a busy machine, and the time of a claim runs from its creation.
    replica.pause();
    const claim = claimOf(mine, 'lock', { tokens: 1 });
    await expect(mine.leases.claim(claim)).rejects.toMatchObject({ ...unavailable, executed: 'yes' });
    replica.resume();
    const again = () => mine.leases.claim({ ...claim, notAfter: performance.now() + 3_000 });
    await eventually('a grant', () => again().then(isGranted, () => false));
  });
});

describe('while the replica is stopped', () => {
  it('nothing is granted, and what was granted is withdrawn', async () => {
    const lock = bedrockOf().mutex('lock');
    await lock.run(() => undefined);
    replica.pause();
    await expect(lock.acquire({ waitMs: 800 })).rejects.toMatchObject(unavailable);
    await expect(lock.tryAcquire()).rejects.toMatchObject(unavailable);
    await eventually('the withdrawal', () => isFree('lock'));
    replica.resume();
    expect(await lock.run(() => 'again', { waitMs: 5_000 })).toBe('again');
  });

  it('the lock is left to processes that ask for no replicas', async () => {
    const [mine, other] = [bedrockOf(), bedrockOf({})];
    await Promise.all([mine.ready(), other.ready()]);
    replica.pause();
    const waiting = mine
      .mutex('lock')
      .acquire({ waitMs: 4_000 })
      .catch((error: unknown) => error);
    await eventually('a grant that does not count', () => fixture.observer.exists('lock'));
    await other.mutex('lock', { waitMs: 1_500 }).run(() => undefined);
    expect(await waiting).toMatchObject(unavailable);
  });

  it('nothing is granted by a script that the server had forgotten either', async () => {
    const mine = await fixture.backend(acks);
    replica.pause();
    await fixture.observer.script('FLUSH');
    await expect(mine.leases.claim(claimOf(mine, 'lock'))).rejects.toMatchObject(unavailable);
  });

  it('several locks at once are not granted either', async () => {
    const bedrock = bedrockOf();
    const both = multiLock([bedrock.mutex('one'), bedrock.mutex('two')]);
    await both.run(() => undefined);
    replica.pause();
    await expect(both.tryAcquire()).rejects.toMatchObject(unavailable);
    await eventually('the withdrawals', async () => (await isFree('one')) && (await isFree('two')));
  });

  it('a release by a process that asks for none does not grant to one that does', async () => {
    const held = await bedrockOf({}).mutex('lock').acquire();
    const waiting = bedrockOf();
    await waiting.ready();
    const next = waiting
      .mutex('lock')
      .acquire({ waitMs: 1_500 })
      .catch((error: unknown) => error);
    await eventually('it is in the queue', () => fixture.observer.exists('bedrock_order:{lock}'));
    replica.pause();
    await held.release();
    expect(await next).toMatchObject(unavailable);
  });

  it('a held lock stays held, and is released', async () => {
    const held = await bedrockOf().mutex('lock', { leaseMs: 1_500 }).acquire();
    replica.pause();
    const later = held.validUntil + 600;
    await eventually('renewals', () => held.validUntil > later);
    expect(held.isHeld).toBe(true);
    expect(await held.release()).toBe('released');
  });

  it('a lock that is taken is refused at once', async () => {
    const [mine, other] = [await fixture.backend(), await fixture.backend(acks)];
    await granted(mine, 'lock');
    replica.pause();
    const verdict = await liveness.within('a refusal', 250, () => other.leases.claim(claimOf(other, 'lock')));
    refusalOf(verdict);
  });

  it('many claims, one after another, are answered in time on one connection', async () => {
    const mine = await fixture.backend(acks);
    let suspected = 0;
    mine.onSuspect(() => (suspected += 1));
    replica.pause();
    const claims: Promise<void>[] = [];
    for (let i = 0; i < 50; i += 1) {
      const claim = liveness.within('an answer', 1_000, () =>
        expect(mine.leases.claim(claimOf(mine, `lock:${i}`))).rejects.toMatchObject(unavailable),
      );
      claims.push(claim);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    await Promise.all(claims);
    expect(suspected).toBe(0);
  });
});

it('a user who may not ask gets an error before anything is granted', async () => {
  const url = await leastUser(fixture.observer, fixture.server.url);
  const refused = { message: expect.stringMatching(/NOPERM.*wait/) };
  await expect(fixture.unready({ url, ...acks }).ready()).rejects.toMatchObject(refused);
  await fixture.observer.call('ACL', 'SETUSER', 'least', '+wait');
  const allowed = await fixture.backend({ url, ...acks });
  await granted(allowed, 'shop:1');
});
