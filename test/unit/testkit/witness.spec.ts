import { assertHistory, Witness } from 'bedrock-testkit';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

describe('a witness', () => {
  it('agrees with bodies that follow each other', async () => {
    const witness = new Witness();
    for (let i = 1; i <= 3; i += 1) expect(await witness.visit(() => i, { token: i })).toBe(i);
    expect(witness.visits).toBe(3);
    expect(witness.assertKept()).toMatchObject({ leases: 3 });
  });

  it('objects to two bodies inside at a time', () => {
    const witness = new Witness();
    const leave = witness.enter();
    witness.enter()();
    leave();
    expect(() => witness.assertKept()).toThrow(
      'I1: visit 2 (visit 2) held "witnessed" together with visit 1',
    );
  });

  it('objects to a body that a failed one has left behind no more', async () => {
    const witness = new Witness();
    await expect(witness.visit(() => Promise.reject(new Error('of the body')))).rejects.toThrow(
      'of the body',
    );
    await witness.visit(() => undefined);
    witness.assertKept();
  });

  it('lets as many units in as there are, and no more', async () => {
    const witness = new Witness(3);
    const leave = witness.enter({ units: 2, capacity: 3 });
    await witness.visit(() => undefined);
    witness.assertKept();
    witness.enter({ units: 2, capacity: 3 });
    leave();
    expect(() => witness.assertKept()).toThrow('brought the permits of "witnessed" to 4 of 3');
  });

  it('counts the units that are inside, and the most that were', async () => {
    const witness = new Witness(3);
    const leave = witness.enter({ units: 2, capacity: 3 });
    expect(await witness.visit(() => witness.inside)).toBe(3);
    leave();
    expect([witness.inside, witness.peak]).toEqual([0, 3]);
  });

  it('objects to tokens that do not grow', async () => {
    const witness = new Witness();
    for (const token of [5, 5]) await witness.visit(() => undefined, { token });
    expect(() => witness.assertKept()).toThrow('I2: ');
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
