import { ExclusionChecker } from 'bedrock-testkit';
import { claimIdOf, OPERATION_MS, track } from '../../engine/bench.js';
import { Shelf } from './shelf.js';

/** Time in which every withdrawal that is still in doubt is repeated and confirmed. */
const SETTLED_MS = 3 * OPERATION_MS;

/** No reader shares the claim of another. */
const EACH_FOR_ITSELF = { handOver: { quantumMs: 0 } };

describe('a read-write lock on a backend that fails', () => {
  let shelf: Shelf;
  beforeEach(() => (shelf = new Shelf({}, EACH_FOR_ITSELF)));
  afterEach(() => shelf.close());

  const reader = () => track(shelf.lock.read.acquire());
  const idOf = ({ value }: ReturnType<typeof reader>) => claimIdOf(value!);

  it('asks for a reader again under the same id when the reply was lost, so that one grant exists', async () => {
    shelf.bench.backend.plan('claim', { kind: 'loseReply' });
    const reading = reader();
    await shelf.clock.advance(50);
    expect(reading.value?.isHeld).toBe(true);
    expect(await shelf.held()).toBe('r');
  });

  it.each(['loseReply', 'loseRequest', 'double'] as const)(
    'leaks no reader when many are asked for at once and every answer suffers: %s',
    async (kind) => {
      const first = await shelf.lock.read.acquire();
      const others = [reader(), reader(), reader(), reader()];
      shelf.bench.backend.plan('claim', { kind }, 6);
      await shelf.clock.advance(OPERATION_MS);
      expect(others.map(({ state }) => state)).toEqual(Array<string>(4).fill('fulfilled'));
      await shelf.clock.advance(SETTLED_MS);
      const ids = [claimIdOf(first), ...others.map(idOf)].sort();
      expect((await shelf.views()).map(({ id }) => id).sort()).toEqual(ids);
      await Promise.all([first, ...others.map(({ value }) => value!)].map((lease) => lease.release()));
      expect(await shelf.held()).toBe('');
    },
  );

  it('gives back a grant that comes when the reader has gone', async () => {
    shelf.bench.backend.plan('claim', { kind: 'delay', replyMs: 300 });
    const controller = new AbortController();
    const gone = track(shelf.lock.read.acquire({ signal: controller.signal }));
    await shelf.clock.advance(100);
    controller.abort();
    await shelf.clock.advance(SETTLED_MS);
    expect([gone.state, await shelf.held()]).toEqual(['rejected', '']);
  });

  it('does not give the grant of a writer that has gone to a reader behind it', async () => {
    shelf.bench.backend.plan('claim', { kind: 'delay', replyMs: 300 });
    const controller = new AbortController();
    const gone = track(shelf.lock.write.acquire({ signal: controller.signal }));
    const behind = reader();
    await shelf.clock.advance(100);
    controller.abort();
    await shelf.clock.advance(300);
    expect([gone.state, behind.state, await shelf.held()]).toEqual(['rejected', 'fulfilled', 'r']);
    expect(shelf.claims.map(({ shape }) => shape.mode)).toEqual(['exclusive', 'shared']);
  });

  it('renews all readers of a process in one batch', async () => {
    await Promise.all(Array.from({ length: 20 }, () => shelf.lock.read.acquire()));
    await shelf.clock.advance(2_900);
    const renewals = shelf.bench.backend.callsOf('renew').map(({ input }) => input.length);
    expect(renewals).toEqual([20, 20]);
  });

  it('loses one reader without the others', async () => {
    const [one, two, three] = await Promise.all([1, 2, 3].map(() => shelf.lock.read.acquire()));
    await shelf.bench.inner.leases.withdraw(two!.hold, { keepMs: 0, leaveQueue: false });
    await shelf.clock.advance(1_500);
    expect([one, two, three].map((lease) => lease!.isHeld)).toEqual([true, false, true]);
    expect(two!.lossReason).toBe('taken');
    expect(await shelf.held()).toBe('rr');
  });

  it('keeps the writer out as long as one of two readers may still believe that it reads', async () => {
    const dead = await shelf.rival.read.acquire({ leaseMs: 2_000, renew: false });
    const alive = await shelf.lock.read.acquire();
    const writer = track(shelf.another().write.acquire());
    await shelf.clock.advance(100);
    await alive.release();
    await shelf.clock.advance(1_700);
    expect([dead.isHeld, writer.state]).toEqual([true, 'pending']);
    await shelf.clock.advance(1_200);
    expect([dead.isHeld, writer.state]).toEqual([false, 'fulfilled']);
  });

  describe('while it is downgraded', () => {
    it('counts as a reader at once when the reply is lost, and the downgrade is sent again', async () => {
      const lease = await shelf.lock.write.acquire();
      shelf.bench.backend.plan('renew', { kind: 'loseReply' });
      await expect(lease.downgrade()).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE' });
      expect([lease.isHeld, lease.isExclusive, await shelf.held()]).toEqual([true, false, 'r']);
      await shelf.clock.advance(10_000);
      expect([lease.isHeld, await shelf.held()]).toEqual([true, 'r']);
      expect(await lease.release()).toBe('released');
    });

    it.each([true, false])('lets others in later when the request is lost (renewed: %s)', async (renew) => {
      const lease = await shelf.lock.write.acquire({ leaseMs: 20_000, renew });
      const waiting = [reader(), track(shelf.rival.read.acquire())];
      await shelf.clock.advance(10);
      shelf.bench.backend.plan('renew', { kind: 'loseRequest' });
      await expect(lease.downgrade()).rejects.toMatchObject({ executed: 'unknown' });
      await shelf.clock.settle();
      expect([lease.isExclusive, await shelf.held()]).toEqual([false, 'w']);
      expect(waiting.map(({ state }) => state)).toEqual(['pending', 'pending']);
      await shelf.clock.advance(1_100);
      expect(await shelf.held()).toBe('rrr');
      expect(waiting.map(({ state }) => state)).toEqual(['fulfilled', 'fulfilled']);
      await lease.release();
    });

    it('is lost where the backend has lost it', async () => {
      const lease = await shelf.lock.write.acquire();
      await shelf.bench.inner.leases.withdraw(lease.hold, { keepMs: 0, leaveQueue: false });
      await expect(lease.downgrade()).rejects.toMatchObject({ code: 'LOCK_LOST', reason: 'taken' });
      expect([lease.isHeld, lease.isLost]).toEqual([false, true]);
      await shelf.clock.advance(SETTLED_MS);
      expect(await shelf.held()).toBe('');
    });

    it('is lost when its lease ends while there is no answer', async () => {
      const lease = await shelf.lock.write.acquire();
      shelf.bench.backend.cutOff();
      const downgraded = track(lease.downgrade());
      await shelf.clock.advance(3_100);
      expect(downgraded.error).toMatchObject({ code: 'BACKEND_UNAVAILABLE' });
      expect([lease.isHeld, lease.lossReason]).toEqual([false, 'expired']);
      expect(await shelf.rival.write.tryAcquire()).not.toBeNull();
    });

    it('makes write.run() fail when the lock was lost before the reading within it went on', async () => {
      const { read, write } = shelf.lock;
      let reading: Promise<unknown> | undefined;
      const writing = write.run(async (lease) => {
        reading = read.run(() => new Promise((resolve) => void shelf.clock.setTimer(() => resolve(1), 500)));
        reading.catch(() => undefined);
        await Promise.resolve();
        await shelf.bench.inner.leases.withdraw(lease.hold, { keepMs: 0, leaveQueue: false });
      });
      await expect(writing).rejects.toMatchObject({ code: 'LOCK_LOST' });
      await shelf.clock.advance(600);
      await expect(reading).rejects.toMatchObject({ code: 'LOCK_LOST' });
    });

    it('stays revoked when it was', async () => {
      const lease = await shelf.lock.write.acquire();
      expect(await shelf.lock.write.revoke()).toBe(true);
      await lease.downgrade();
      expect(await shelf.views()).toMatchObject([{ mode: 'shared', revoked: true }]);
      await shelf.clock.advance(3_100);
      expect([lease.isHeld, lease.lossReason]).toEqual([false, 'revoked']);
    });
  });

  it('does no harm when every request arrives twice', async () => {
    for (const verb of ['claim', 'withdraw', 'renew', 'watch'] as const)
      shelf.bench.backend.plan(verb, { kind: 'double' }, Infinity);
    const count = 24;
    const checker = new ExclusionChecker(count);
    const work = (isWriter: boolean): Promise<void> =>
      checker.run(() => new Promise((resolve) => void shelf.clock.setTimer(resolve, 700)), {
        units: isWriter ? count : 1,
      });
    const tasks = Array.from({ length: count }, (_, i) => {
      const { read, write } = i % 2 === 0 ? shelf.lock : shelf.rival;
      const isWriter = i % 6 === 0;
      return track((isWriter ? write : read).run(() => work(isWriter), { waitMs: 60_000 }));
    });
    await shelf.clock.advance(60_000);
    expect(tasks.map(({ state }) => state)).toEqual(Array<string>(count).fill('fulfilled'));
    expect(checker.assertExclusion().leases).toBe(count);
    expect(await shelf.held()).toBe('');
  });
});
