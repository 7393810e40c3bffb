import { assertHistory, ExclusionChecker } from 'bedrock-testkit';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

describe('an exclusion checker', () => {
  it('agrees with bodies that follow each other', async () => {
    const checker = new ExclusionChecker();
    for (let i = 1; i <= 3; i += 1) expect(await checker.run(() => i, { token: i })).toBe(i);
    expect(checker.entered).toBe(3);
    expect(checker.assertExclusion()).toMatchObject({ leases: 3 });
  });

  it('objects to two bodies inside at a time', () => {
    const checker = new ExclusionChecker();
    const leave = checker.enter();
    checker.enter()();
    leave();
    expect(() => checker.assertExclusion()).toThrow(
      'I1: visit 2 (visit 2) held "witnessed" together with visit 1',
    );
  });

  it('objects to a body that a failed one has left behind no more', async () => {
    const checker = new ExclusionChecker();
    await expect(checker.run(() => Promise.reject(new Error('of the body')))).rejects.toThrow('of the body');
    await checker.run(() => undefined);
    checker.assertExclusion();
  });

  it('lets as many units in as there are, and no more', async () => {
    const checker = new ExclusionChecker(3);
    const leave = checker.enter({ units: 2, capacity: 3 });
    await checker.run(() => undefined);
    checker.assertExclusion();
    checker.enter({ units: 2, capacity: 3 });
    leave();
    expect(() => checker.assertExclusion()).toThrow('brought the permits of "witnessed" to 4 of 3');
  });

  it('counts the units that are inside, and the most that were', async () => {
    const checker = new ExclusionChecker(3);
    const leave = checker.enter({ units: 2, capacity: 3 });
    expect(await checker.run(() => checker.inside)).toBe(3);
    leave();
    expect([checker.inside, checker.peak]).toEqual([0, 3]);
  });

  it('objects to tokens that do not grow', async () => {
    const checker = new ExclusionChecker();
    for (const token of [5, 5]) await checker.run(() => undefined, { token });
    expect(() => checker.assertExclusion()).toThrow('I2: ');
  });
});

describe('a violation', () => {
  it('is kept with its history', () => {
    const folder = mkdtempSync(join(tmpdir(), 'bedrock-histories-'));
    process.env['BEDROCK_HISTORIES'] = folder;
    try {
      const at = { process: 'p', resource: 'r', at: 5 };
      const stray = [{ ...at, kind: 'meddled', verb: 'renew', outcome: 'renewed' } as const];
      expect(() => assertHistory(stray)).toThrow(`the history is kept in ${folder}`);
      const [file] = readdirSync(folder);
      expect(readFileSync(join(folder, file!), 'utf8')).toContain('"meddled"');
    } finally {
      delete process.env['BEDROCK_HISTORIES'];
      rmSync(folder, { recursive: true });
    }
  });
});
