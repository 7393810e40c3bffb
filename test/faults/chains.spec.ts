import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

interface Mark {
  readonly us: number;
  readonly heapMb: number;
}

/** How a job of 100,000 runs goes, each of which schedules the next from inside: five marks on the way. */
function marksOf(how: string): Mark[] {
  const program = join(import.meta.dirname, 'chains-main.mjs');
  const { stdout, stderr } = spawnSync(process.execPath, ['--expose-gc', program, how], {
    encoding: 'utf8',
    timeout: 240_000,
  });
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout) as Mark[];
}

describe('100,000 runs, each of which schedules the next from inside of itself', () => {
  it.each(['setImmediate', 'overlapping', 'flow', 'emitter', 'interval', 'generator'])(
    'cost no more in the end than in the beginning, by %s',
    (how) => {
      const [, second, , , last] = marksOf(how);
      expect(last!.heapMb - second!.heapMb).toBeLessThan(2);
      expect(last!.us).toBeLessThan(5 * second!.us);
    },
    250_000,
  );
});
