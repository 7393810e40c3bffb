import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
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
    const { pid } = spawnSync('true');
    const lock = join(tmpdir(), `bedrock-servers.${name}.lock`);
    mkdirSync(lock);
    writeFileSync(join(lock, 'pid'), String(pid));
    await expect(oneAtATime(name, async () => 'done')).resolves.toBe('done');
  });
});
