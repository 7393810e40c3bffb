import { describe, expect, it } from '@jest/globals';
import { parseDuration } from '../../../libs/cli/src/input/parse-duration.js';
import { durationText } from '../../../libs/cli/src/output/durations.js';
import { holderText } from '../../../libs/cli/src/output/holder-text.js';
import { visible } from '../../../libs/cli/src/output/visible.js';

describe('a time on the command line', () => {
  it.each([
    ['0s', 0],
    ['500ms', 500],
    ['2.5s', 2_500],
    ['10m', 600_000],
    ['1h', 3_600_000],
  ])('%s is %d ms', (text, ms) => {
    expect(parseDuration('--wait', text)).toBe(ms);
  });

  it.each(['', '5', 's', '-1s', '1 s', '1d', '1e3s', '1S', '٣s'])('%j is refused', (text) => {
    expect(() => parseDuration('--wait', text)).toThrow(/^--wait must be a time such as 500ms/);
  });

  it.each([
    [0, '0 ms'],
    [999.6, '1000 ms'],
    [1_540, '1.5 s'],
    [119_000, '119 s'],
    [180_000, '3 min'],
    [Infinity, 'for ever'],
  ])('%d ms is shown as %s', (ms, text) => {
    expect(durationText(ms)).toBe(text);
  });
});

describe('a name that others chose', () => {
  it.each([
    ['orders:42', 'orders:42'],
    ['заказы 订单 🔒', 'заказы 订单 🔒'],
    ['\u001b[31mred', '\\u{1b}[31mred'],
    ['a\r\nb\u0000', 'a\\u{d}\\u{a}b\\u{0}'],
    ['\u202Eabc', '\\u{202e}abc'],
    ['\u200Bx\u2028', '\\u{200b}x\\u{2028}'],
    ['\uD800', '\\u{d800}'],
  ])('%j is shown as one harmless line', (name, shown) => {
    expect(visible(name)).toBe(shown);
  });

  it('is cut when it is longer than 200 characters, and says so', () => {
    expect(visible('x'.repeat(200))).toBe('x'.repeat(200));
    expect(visible('x'.repeat(65_536))).toBe(`${'x'.repeat(200)}… (65536 characters)`);
  });
});

describe('a holder', () => {
  const id = '0d3e:1';

  it.each([
    [{ id, remainingMs: 1_500 }, '0d3e:1 (lease ends in 1.5 s)'],
    [{ id, remainingMs: Infinity }, '0d3e:1 (has no lease)'],
    [{ id, remainingMs: 10, process: { host: 'h', pid: 7 } }, 'process 7@h (lease ends in 10 ms)'],
    [
      { id, remainingMs: 10, node: 'n1', process: { host: '\u001bh', pid: 7, label: 'or\nders' } },
      'or\\u{a}ders 7@\\u{1b}h on n1 (lease ends in 10 ms)',
    ],
  ])('is shown by what is known of it', (holder, text) => {
    expect(holderText(holder)).toBe(text);
  });
});
