import { describe, expect, it } from '@jest/globals';
import { eventually } from 'bedrock-testkit';

describe('eventually', () => {
  it('resolves once the fact is true, and looks no more', async () => {
    let looks = 0;
    await eventually('the third look', async () => ++looks === 3);
    expect(looks).toBe(3);
  });

  it('fails with the fact and the time', async () => {
    const never = eventually('the moon is blue', () => false, { withinMs: 20 });
    await expect(never).rejects.toThrow('not within 20 ms: the moon is blue');
  });

  it('ends with an error of the look instead of hiding it', async () => {
    let looks = 0;
    const broken = eventually('a broken look', () => {
      looks += 1;
      throw new TypeError('no such field');
    });
    await expect(broken).rejects.toThrow(TypeError);
    expect(looks).toBe(1);
  });

  it('fails at once for a time that is no number', async () => {
    await expect(eventually('no time', () => false, { withinMs: NaN })).rejects.toThrow('not within NaN ms');
  });
});
