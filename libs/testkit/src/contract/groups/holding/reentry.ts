import assert from 'node:assert/strict';
import { ExclusionChecker } from '../../../history/exclusion-checker.js';
import type { ContractGroup } from '../../context/contract-group.js';

export const reentry: ContractGroup = {
  'enters a lock again that the call chain holds, and shows how deep': async (context) => {
    const peer = await context.peer();
    const lock = context.lock(peer);
    const shown = async (depth: number): Promise<void> =>
      context.eventually(`depth ${depth} is shown`, async () => (await lock.inspect())[0]?.depth === depth);
    await lock.run(async (outer) => {
      await lock.run(async (inner) => {
        assert.equal(inner, outer);
        assert.equal(lock.depth, 2);
        await shown(2);
      });
      assert.equal(lock.depth, 1);
      await shown(1);
    });
    assert.equal(lock.depth, 0);
    assert.equal(peer.stats().grants, 1);
    await context.becomesEmpty();
  },

  'lets the branches of one hold take turns': async (context) => {
    const lock = context.lock(await context.peer());
    const bodies = new ExclusionChecker();
    const done: number[] = [];
    await lock.run(() =>
      Promise.all(
        [1, 2, 3].map((branch) =>
          lock.run(() =>
            bodies.run(async () => {
              await context.sleep(5);
              done.push(branch);
            }),
          ),
        ),
      ),
    );
    assert.deepEqual(done, [1, 2, 3]);
    bodies.assertExclusion();
  },

  'keeps the lock until the last level has ended': async (context) => {
    const [one, other] = [await context.peer(), await context.peer()];
    const lock = context.lock(one);
    let finish = (): void => undefined;
    let child: Promise<void> | undefined;
    await lock.run(async () => {
      child = lock.run(() => new Promise<void>((resolve) => (finish = resolve)));
      await context.eventually('the child is open', () => lock.depth === 2);
    });
    assert.equal(await context.lock(other).tryAcquire(), null);
    finish();
    await child;
    await (await context.lock(other).acquire()).release();
  },
};
