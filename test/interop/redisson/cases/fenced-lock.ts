import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Mutex } from 'bedrock-lock';
import type { JavaFencedLock } from '../java-objects.js';
import { LONG_MS, type Site } from '../site.js';

export function fencedLockCases(version: string, openSite: () => Site): void {
  describe(`RFencedLock of Redisson ${version} and a mutex with tokens per lock`, () => {
    let site: Site;

    beforeAll(() => {
      site = openSite();
    });
    afterEach(() => site?.clean());

    async function both(): Promise<{ name: string; lock: JavaFencedLock; mutex: Mutex }> {
      const name = site.freshName();
      const bedrock = await site.bedrock({}, { tokens: 'perLock' });
      return { name, lock: site.thread().fencedLock(name), mutex: bedrock.mutex(name) };
    }

    async function ofJava(lock: JavaFencedLock): Promise<number> {
      const { value } = await lock.lockAndGetToken(LONG_MS);
      await lock.unlock();
      return value;
    }

    it.each([
      ['Java', 0],
      ['Node', 1],
    ])('have tokens that grow from one to the other, begun by %s', async (_first, offset) => {
      const { lock, mutex } = await both();
      const takes = [() => ofJava(lock), () => mutex.run(({ token }) => token)];
      const tokens: number[] = [];
      for (let turn = 0; turn < 8; turn++) tokens.push(await takes[(turn + offset) % 2]!());
      expect(tokens).toEqual([...new Set(tokens)].sort((a, b) => a - b));
      expect(tokens.every(Number.isSafeInteger)).toBe(true);
    });

    it('have tokens that grow while both wait for each other', async () => {
      const { name, lock, mutex } = await both();
      const tokens: number[] = [];
      const holder = site.thread().fencedLock(name);
      tokens.push((await holder.lockAndGetToken(LONG_MS)).value);
      const served = [
        ...Array.from({ length: 5 }, () => mutex.run(({ token }) => void tokens.push(token))),
        lock.lockAndGetToken(LONG_MS).then(async ({ value }) => {
          tokens.push(value);
          await lock.unlock();
        }),
      ];
      await site.someoneWaits(name, 2);
      await holder.unlock();
      await Promise.all(served);
      expect(tokens).toHaveLength(7);
      expect(tokens).toEqual([...new Set(tokens)].sort((a, b) => a - b));
    });

    it('goes beyond every token of a holder in Node that Java has unlocked by force', async () => {
      const { lock, mutex } = await both();
      const lease = await mutex.acquire();
      await lock.forceUnlock();
      expect(await ofJava(lock)).toBeGreaterThan(lease.token);
    });

    it('shows Java the end of the block that Node has reserved, not the token of its holder', async () => {
      const { lock, mutex } = await both();
      await mutex.run(async ({ token }) => {
        const { value } = await lock.token();
        expect(value).toBeGreaterThanOrEqual(token);
      });
    });

    it("starts beyond the time when Redisson's counter is behind it, and Java goes on from there", async () => {
      const { name, lock, mutex } = await both();
      await expect(ofJava(lock)).resolves.toBe(1);
      const token = await mutex.run((lease) => lease.token);
      expect(token).toBeGreaterThan(1e15);
      await expect(ofJava(lock)).resolves.toBeGreaterThan(token);
      await expect(site.admin.get(`redisson_lock_token:{${name}}`)).resolves.toMatch(/^\d{16}$/);
    });
  });
}
