import { setTimeout as sleep } from 'node:timers/promises';
import { Neighbour } from './neighbour.js';
import { oneAtATime } from './src/one-at-a-time.js';

describe('oneAtATime', () => {
  const name = `spec-${process.pid}`;

  it('does work of one name in turn', async () => {
    const steps: string[] = [];
    const work = (label: string) => async () => {
      steps.push(`${label} begins`);
      await sleep(20);
      steps.push(`${label} ends`);
      return label;
    };
    await expect(Promise.all([oneAtATime(name, work('a')), oneAtATime(name, work('b'))])).resolves.toEqual([
      'a',
      'b',
    ]);
    expect(steps).toEqual(['a begins', 'a ends', 'b begins', 'b ends']);
  });

  it('lets the next go on after a failure', async () => {
    await expect(oneAtATime(name, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    await expect(oneAtATime(name, async () => 'done')).resolves.toBe('done');
  });

  it('does not wait for a process that is dead', async () => {
    const neighbour = await Neighbour.start();
    await neighbour.asks('hold', name);
    await neighbour.dies();
    await expect(oneAtATime(name, async () => 'done')).resolves.toBe('done');
  });

  // As root the other process is of another user.
  it('waits for a process of another user', async () => {
    const neighbour = await Neighbour.start();
    try {
      await neighbour.asks('hold', name);
      const ours = oneAtATime(name, async () => process.hrtime.bigint());
      const theyEndedAt = await neighbour.goesOn();
      expect(await ours).toBeGreaterThan(theyEndedAt);
    } finally {
      await neighbour.dies();
    }
  });
});
