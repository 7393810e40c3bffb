import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from 'bedrock-lock';
import { startProxy, type TcpProxy } from 'bedrock-servers';
import { eventually, ExclusionChecker } from 'bedrock-testkit';
import {
  freshName,
  LEASE_MS,
  recordsOf,
  SOON,
  start,
  type RecordFixture,
  type RecordOptions,
} from './record-fixture.js';

const UNAVAILABLE = { code: 'BACKEND_UNAVAILABLE' };

/** What becomes of records in the rows of a database when things fail, and when they are over. */
export function recordFaults(fixture: RecordFixture): void {
  const records = (options?: RecordOptions) => recordsOf(fixture.backend(options));

  describe('behind a network that breaks', () => {
    let proxy: TcpProxy;
    const throughProxy = () => fixture.server.url.replace(/:\d+\//, `:${proxy.port}/`);
    beforeEach(async () => {
      proxy = await startProxy(fixture.server.port);
    });
    afterEach(() => proxy.stop());

    it('a beginning whose answer was lost is unknown; repeated, the record is its own, and no other owner has it', async () => {
      const [mine, yours] = [
        await records({ url: throughProxy(), operationTimeoutMs: 1_000 }),
        await records(),
      ];
      const resource = freshName();
      // It has a connection, which knows the statement.
      await mine.begin(start(freshName(), 'mine'));
      proxy.dropReplies();
      const lost = mine.begin(start(resource, 'mine', 60_000));
      await expect(lost).rejects.toMatchObject({ ...UNAVAILABLE, executed: 'unknown' });
      proxy.dropReplies(false);
      expect((await yours.begin(start(resource, 'yours')))?.owner).toBe('mine');
      await settled(() => mine.read(resource));
      expect(await mine.begin(start(resource, 'mine', 60_000))).toBeUndefined();
      expect(await mine.complete({ resource, owner: 'mine' }, 'done', LEASE_MS)).toBe(true);
      expect((await yours.begin(start(resource, 'yours')))?.value).toBe('done');
    });

    it('a connection that is cut in the middle of a beginning does not give two owners', async () => {
      const mine = await records({ url: throughProxy(), operationTimeoutMs: 1_000 });
      const yours = await records();
      const outcomes = new Set<string>();
      for (let i = 0; i < 30; i += 1) {
        const resource = freshName();
        await settled(() => mine.read(resource));
        const asked = mine.begin(start(resource, 'mine')).then(
          (view) => (view === undefined ? 'made' : 'seen'),
          () => 'unknown',
        );
        if (i % 2 === 0) await sleep(i / 20);
        proxy.cut();
        const [first, second] = [await asked, await yours.begin(start(resource, 'yours'))];
        outcomes.add(first);
        const checker = new ExclusionChecker(1, resource);
        for (const isOwner of [first === 'made', second === undefined]) if (isOwner) checker.enter();
        checker.assertExclusion();
        await settled(() => mine.read(resource));
        // An owner that does not know asks again, and learns which owner has it.
        const again = await mine.begin(start(resource, 'mine'));
        expect(again?.owner).toBe(second === undefined ? 'yours' : undefined);
      }
      expect(outcomes.has('unknown')).toBe(true);
    });
  });

  it('a server that is killed and comes back keeps results, and records in flight', async () => {
    const mine = await records();
    const [done, running] = [freshName(), freshName()];
    for (const resource of [done, running]) await mine.begin(start(resource, 'mine', 60_000));
    expect(await mine.complete({ resource: done, owner: 'mine' }, '"paid"', 600_000)).toBe(true);
    fixture.server.kill('SIGKILL');
    // Its last connections may live a moment longer than the server.
    for (let isUp = true; isUp; await sleep(5)) isUp = await mine.read(running).then(() => true, () => false); // prettier-ignore
    const begun = mine.begin(start(running, 'mine', 60_000));
    await expect(begun).rejects.toMatchObject(UNAVAILABLE);
    await fixture.server.restart();
    await fixture.observeAgain();
    const yours = await records();
    expect(await yours.begin(start(done, 'yours'))).toMatchObject({ owner: 'mine', value: '"paid"' });
    expect((await yours.begin(start(running, 'yours')))?.owner).toBe('mine');
    await settled(() => mine.read(running));
    expect(await mine.complete({ resource: running, owner: 'mine' }, '"late"', 600_000)).toBe(true);
    expect((await yours.begin(start(running, 'yours')))?.value).toBe('"late"');
  }, 40_000);

  describe('a record that is over', () => {
    const putMany = (prefix: string, count: number, lifeMs: number) =>
      Promise.all(Array.from({ length: count }, (_, i) => fixture.put(`${prefix}${i}`, 'dead', lifeMs)));

    it('is swept on the side, however many there are, by any process that makes records; live ones stay', async () => {
      await putMany('swept:over:', 600, -1);
      await putMany('swept:alive:', 5, 60_000);
      const mine = await records({ clock: SOON });
      await sleep(200);
      // No process has made a record yet.
      expect(await fixture.count('swept:over:')).toBe(600);
      await mine.begin(start(freshName(), 'mine'));
      await eventually('it is swept', async () => (await fixture.count('swept:over:')) === 0, {
        withinMs: 10_000,
      });
      expect(await fixture.count('swept:alive:')).toBe(5);
    }, 20_000);

    it('is swept no more after a close', async () => {
      let timers = 0;
      const clock: Clock = {
        ...SOON,
        setTimer: (callback, ms) => {
          if (ms >= 60_000) timers += 1;
          return SOON.setTimer(callback, ms);
        },
      };
      const backend = await fixture.backend({ clock });
      await backend.records!.begin(start(freshName(), 'mine'));
      await backend.close();
      const before = timers;
      await fixture.put('closed:over', 'dead', -1);
      await sleep(300);
      expect(await fixture.count('closed:')).toBe(1);
      expect(timers).toBe(before);
    });

    it('is not swept where it was begun again meanwhile', async () => {
      const resource = freshName();
      await fixture.put(resource, 'dead', -1_000);
      const commit = await fixture.holdRow(resource);
      await fixture.put('beside:over', 'dead', -1);
      const isBesideSwept = async () => (await fixture.count('beside:')) === 0;
      const backend = await fixture.backend({ clock: SOON, operationTimeoutMs: 3_000 });
      await backend.records!.begin(start(freshName(), 'mine'));
      // One database waits for the row, another one passes it over.
      await eventually(
        'the sweep has come to the row',
        async () => (await fixture.waitingForRows()) > 0 || (await isBesideSwept()),
      );
      await commit({ lifeMs: 60_000, owner: 'next' });
      await eventually('the sweep is over', isBesideSwept);
      expect((await backend.records!.read(resource))?.owner).toBe('next');
    });
  });
}

/** Asks until it is answered: after a cut, the first connections may be dead ones. */
async function settled(ask: () => Promise<unknown>): Promise<void> {
  for (const late = performance.now() + 10_000; ; await sleep(10)) {
    const error = await ask().then(
      () => undefined,
      (reason: unknown) => reason as Error,
    );
    if (error === undefined) return;
    if (performance.now() > late) throw error;
  }
}
