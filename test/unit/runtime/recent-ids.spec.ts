import { describe, expect, it } from '@jest/globals';
import { ManualClock } from 'bedrock-testkit';
import { RecentIds } from '../../../libs/lock/src/runtime/collections/recent-ids.js';

const LIFE_MS = 60_000;

describe('ids that were added lately', () => {
  it('are remembered for their life, whenever they came and whatever comes later', async () => {
    const clock = new ManualClock();
    const ids = new RecentIds(clock, LIFE_MS);
    const added: { name: string; at: number }[] = [];
    for (let i = 0; i < 300; i++) {
      added.push({ name: `n${i}`, at: clock.now() });
      ids.add(`n${i}`);
      const [young, old] = [LIFE_MS, (LIFE_MS * 4) / 3 + 1];
      const aged = added.map(({ name, at }) => ({ name, ageMs: clock.now() - at }));
      const forgotten = aged.filter(({ name, ageMs }) => ageMs < young && !ids.has(name));
      const kept = aged.filter(({ name, ageMs }) => ageMs > old && ids.has(name));
      expect({ forgotten, kept }).toEqual({ forgotten: [], kept: [] });
      await clock.advance(i % 50 === 49 ? 25_000 : 700);
    }
  });

  it('are forgotten together after a long silence', async () => {
    const clock = new ManualClock();
    const ids = new RecentIds(clock, LIFE_MS);
    ids.add('old');
    await clock.advance(10 * LIFE_MS);
    ids.add('new');
    expect([ids.has('old'), ids.has('new')]).toEqual([false, true]);
  });
});
