import { describe, expect, it } from '@jest/globals';
import { checkName, MAX_NAME_LENGTH } from 'bedrock-lock/integration';
import { escapePart, narrow } from '../../../libs/lock/src/core/key.js';

describe('resource names', () => {
  it('go to the backend verbatim', () => {
    for (const name of ['orders', 'shop:{eu}:stock', 'a*b', '库存', '__proto__', '%7B'])
      expect(checkName('name', name)).toBe(name);
  });

  it('never meet for different key parts', () => {
    const parts = ['a', 'a:b', 'a%3Ab', 'a%', '{a}', 'a}', 'a\n', '1', 'A', 'é', 'a b', '*'];
    const resources = new Set(parts.map((part) => narrow('lock', [part])));
    expect(resources.size).toBe(parts.length);
    expect(narrow('lock', ['a', 'b'])).not.toBe(narrow('lock', ['a:b']));
  });

  it('cannot be made to carry a hash tag or a separator by a key part', () => {
    expect(narrow('lock', ['{x}:1'])).toBe('lock:%7Bx%7D%3A1');
    expect(escapePart('a\r\n\u0000\u007f')).toBe('a%0D%0A%00%7F');
  });

  it('read numbers, big integers and booleans as their text', () => {
    expect(narrow('lock', [42, 7n, true, -0.5])).toBe('lock:42:7:true:-0.5');
    // 1 and '1' are the same entity: ids arrive as numbers here and as text there.
    expect(narrow('lock', [1])).toBe(narrow('lock', ['1']));
  });

  it('are bounded together with their key', () => {
    expect(() => narrow('x'.repeat(MAX_NAME_LENGTH - 2), ['ab'])).toThrow(/at most 512/);
    expect(narrow('x'.repeat(MAX_NAME_LENGTH - 2), ['a'])).toHaveLength(MAX_NAME_LENGTH);
  });
});
