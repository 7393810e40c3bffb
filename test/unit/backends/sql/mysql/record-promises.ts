import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { RecordDriver, RecordView } from 'bedrock-lock/backend';
import { systemClock } from 'bedrock-lock/integration';
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

/** What records in the rows of a database promise beside the contract of all backends. */
export function recordPromises(fixture: RecordFixture): void {
  const records = (options?: RecordOptions) => recordsOf(fixture.backend(options));

  /** Answers to 50 requests that come at once from 50 connections of 5 backends. */
  async function beginAtOnce(all: readonly RecordDriver[], resource: string) {
    const owners = Array.from({ length: 50 }, (_, i) => `${resource}:${i}`);
    const answers = await Promise.all(
      owners.map((owner, i) => all[i % all.length]!.begin(start(resource, owner))),
    );
    const made = owners.filter((_, i) => answers[i] === undefined);
    const seen = new Set(answers.filter((answer) => answer !== undefined).map(({ owner }) => owner));
    return { made, seen: [...seen] };
  }

  describe('of 50 requests that come at once', () => {
    let all: RecordDriver[];
    beforeEach(async () => {
      all = await Promise.all(
        Array.from({ length: 5 }, () =>
          records({ clock: SOON, connections: 10, operationTimeoutMs: 10_000 }),
        ),
      );
    });

    it('exactly one makes the record, and the others see it', async () => {
      for (let i = 0; i < 20; i += 1) {
        const { made, seen } = await beginAtOnce(all, freshName());
        expect(made).toHaveLength(1);
        expect(seen).toEqual(made);
      }
    });

    it('exactly one takes over a record that is over', async () => {
      for (let i = 0; i < 20; i += 1) {
        const resource = freshName();
        await fixture.put(resource, 'dead', -1_000);
        const { made, seen } = await beginAtOnce(all, resource);
        expect(made).toHaveLength(1);
        expect(seen).toEqual(made);
      }
    });

    it('and from several processes, exactly one makes the record', async () => {
      const script = fileURLToPath(new URL('record-contender.mjs', import.meta.url));
      const processes = Array.from({ length: 5 }, () => fork(script, [fixture.module, fixture.server.url]));
      await Promise.all(processes.map((one) => once(one, 'message')));
      const resources = Array.from({ length: 10 }, freshName);
      const answers = processes.map(async (one) => {
        one.send(resources);
        const [made] = (await once(one, 'message')) as [{ resource: string; owner: string }[]];
        return made;
      });
      const made = (await Promise.all(answers)).flat();
      expect(made.map(({ resource }) => resource).sort()).toEqual([...resources].sort());
      for (const { resource, owner } of made)
        expect((await all[0]!.begin(start(resource, 'late')))?.owner).toBe(owner);
    }, 60_000);

    it('no two have a record at the same time, though it ends, is removed and swept all the time; no deadlock surfaces', async () => {
      const resources = [freshName(), freshName(), freshName()];
      const witnesses = new Map(resources.map((resource) => [resource, new ExclusionChecker(1, resource)]));
      // For 3 s, and on a slow server until there is something to judge.
      const startedAt = performance.now();
      let visits = 0;
      const isOver = (): boolean => performance.now() - startedAt >= (visits > 20 ? 3_000 : 20_000);
      const work = async (mine: RecordDriver, at: number): Promise<void> => {
        for (let i = 0; !isOver(); i += 1) {
          const resource = resources[(at + i) % resources.length]!;
          const ref = { resource, owner: `${at}:${i}` };
          // Some end by themselves, so that they are taken over and swept.
          const isShort = i % 4 === 0;
          const leaseMs = isShort ? 5 : LEASE_MS;
          const sentAt = performance.now();
          if ((await mine.begin({ ...ref, fingerprint: '', leaseMs, notAfter: Infinity })) !== undefined) {
            await sleep(Math.random() * 20);
            continue;
          }
          if (isShort && performance.now() - sentAt >= 4) continue;
          await witnesses.get(resource)!.run(async () => {
            visits += 1;
            if (!isShort) expect(await mine.renew(ref, LEASE_MS)).toBe(true);
          });
          if (isShort) continue;
          if (i % 3 === 0) expect(await mine.complete(ref, 'done', 5)).toBe(true);
          else expect(await mine.abandon(ref)).toBe(true);
        }
      };
      await Promise.all(Array.from({ length: 50 }, (_, at) => work(all[at % 5]!, at)));
      const seen = [...witnesses.values()].map((checker) => checker.assertExclusion().leases);
      expect(seen.reduce((sum, count) => sum + count)).toBeGreaterThan(20);
    }, 30_000);
  });

  describe('the clock of the database', () => {
    it('alone ends a record: those of the clients do not matter', async () => {
      const hours = [-1, 1].map((hour) => ({
        ...systemClock,
        wall: () => systemClock.wall() + hour * 3_600_000,
      }));
      const [late, early] = await Promise.all(hours.map((clock) => records({ clock })));
      const resource = freshName();
      expect(await late!.begin(start(resource, 'first', 1_200))).toBeUndefined();
      const until = (await fixture.untilUs(resource))! - (await fixture.nowUs());
      expect(until).toBeGreaterThan(0);
      expect(until).toBeLessThanOrEqual(1_200_000);
      expect((await early!.begin(start(resource, 'next')))?.owner).toBe('first');
      let answer: RecordView | undefined;
      do answer = await early!.begin(start(resource, 'next'));
      while (answer !== undefined);
      expect((await late!.begin(start(resource, 'third')))?.owner).toBe('next');
    });

    it('is read again by a call that had to wait for the row', async () => {
      const mine = await records({ operationTimeoutMs: 3_000 });
      const itWaits = () =>
        eventually('it waits for the row', async () => (await fixture.waitingForRows()) > 0);
      const [prolonged, ended] = [freshName(), freshName()];
      // Over when it is asked for, and prolonged while it is waited for: as if its owner had begun again just before.
      await fixture.put(prolonged, 'first', -1_000);
      const commit = await fixture.holdRow(prolonged);
      const refused = mine.begin(start(prolonged, 'next'));
      await itWaits();
      await commit({ lifeMs: 60_000, owner: 'first' });
      expect((await refused)?.owner).toBe('first');
      // Alive when it is asked for, and over when the wait is.
      await fixture.put(ended, 'mine', 60_000);
      const end = await fixture.holdRow(ended);
      const renewed = mine.renew({ resource: ended, owner: 'mine' }, LEASE_MS);
      await itWaits();
      await end({ lifeMs: -1, owner: 'mine' });
      expect(await renewed).toBe(false);
    });
  });

  describe('an owner', () => {
    it('whose record is over changes nothing any more, whether another owner has taken it over or not', async () => {
      const [mine, yours] = [await records(), await records()];
      const resource = freshName();
      const ref = { resource, owner: 'mine' };
      await fixture.put(resource, 'mine', -1);
      const nothing = async (): Promise<void> => {
        expect(await mine.renew(ref, LEASE_MS)).toBe(false);
        expect(await mine.complete(ref, 'stale', LEASE_MS)).toBe(false);
        expect(await mine.abandon(ref)).toBe(false);
      };
      await nothing();
      expect(await mine.read(resource)).toBeUndefined();
      expect(await mine.remove(resource)).toBe(false);
      expect(await yours.begin(start(resource, 'yours'))).toBeUndefined();
      await nothing();
      expect(await yours.complete({ resource, owner: 'yours' }, 'fresh', LEASE_MS)).toBe(true);
      await nothing();
      expect(await mine.read(resource)).toMatchObject({ owner: 'yours', value: 'fresh' });
    });

    it('that has completed its record can neither renew nor remove it, and a repetition keeps its end', async () => {
      const mine = await records();
      const ref = { resource: freshName(), owner: 'mine' };
      await mine.begin({ ...ref, fingerprint: '', leaseMs: LEASE_MS, notAfter: Infinity });
      expect(await mine.complete(ref, 'one', 60_000)).toBe(true);
      const until = await fixture.untilUs(ref.resource);
      expect(await mine.renew(ref, 1)).toBe(false);
      expect(await mine.abandon(ref)).toBe(false);
      expect(await mine.complete(ref, 'one', 1)).toBe(true);
      expect(await mine.complete(ref, 'two', 1)).toBe(false);
      expect(await fixture.untilUs(ref.resource)).toBe(until);
      expect(await mine.read(ref.resource)).toMatchObject({ value: 'one' });
    });
  });

  it('tells names and owners apart that a collation would not, and gives texts as they were', async () => {
    const mine = await records();
    const odd = [
      ...['Caps', 'caps', '\u00e9', 'e', 'e\u0301', 'a', 'a ', 'a  ', 'ß', 'ss', '漢'.repeat(512), '😀'],
      `'"\\%_`,
    ];
    const values = new Map<string, string>();
    for (const [i, name] of odd.entries()) {
      const ref = { resource: `odd:${name}`.slice(0, 512), owner: 'me' };
      const fingerprint = `${name.slice(0, 100)}\u0000\u00ff`;
      expect(
        await mine.begin({ ...ref, fingerprint, leaseMs: LEASE_MS, notAfter: Infinity }),
      ).toBeUndefined();
      expect(await mine.complete({ ...ref, owner: 'me ' }, '', LEASE_MS)).toBe(false);
      expect(await mine.complete({ ...ref, owner: 'Me' }, '', LEASE_MS)).toBe(false);
      expect(await mine.complete(ref, `${i}${name}`, LEASE_MS)).toBe(true);
      expect((await mine.read(ref.resource))?.fingerprint).toBe(fingerprint);
      values.set(ref.resource, `${i}${name}`);
    }
    expect(values.size).toBe(odd.length);
    for (const [resource, value] of values) expect((await mine.read(resource))?.value).toBe(value);
  });

  it.each([65_534, 65_535, 262_144])('keeps a value of %i bytes as it is', async (bytes) => {
    const mine = await records();
    const text = `${'😀é'.repeat(bytes / 8)}`;
    const value = text + 'x'.repeat(bytes - Buffer.byteLength(text));
    const ref = { resource: freshName(), owner: 'mine' };
    await mine.begin({ ...ref, fingerprint: '', leaseMs: LEASE_MS, notAfter: Infinity });
    expect(await mine.complete(ref, value, LEASE_MS)).toBe(true);
    expect(await mine.complete(ref, value, LEASE_MS)).toBe(true);
    expect(await mine.complete(ref, `${value.slice(0, -1)}y`, LEASE_MS)).toBe(false);
    const view = await (await records()).begin(start(ref.resource, 'yours'));
    expect(view?.value === value).toBe(true);
  });
}
