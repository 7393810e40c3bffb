import { describe, expect, it } from '@jest/globals';
import { bedrock } from './bedrock-command.js';
import { LocksFixture } from './locks-fixture.js';

const locks = new LocksFixture();
const WHAT = [
  'round trip',
  'one lock, 1 caller',
  '4 locks, 4 callers',
  'one lock, 4 callers in one process',
  'one lock, 2 backends taking turns',
];

describe('bedrock bench', () => {
  it('measures locks of its own, and leaves none', async () => {
    const { url } = locks.server;
    const { code, stdout, stderr } = await bedrock(['bench', url, '--for', '300ms', '--callers', '4']);
    expect([code, stderr]).toEqual([0, '']);
    const [head, ...rows] = stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/ {2,}/));
    expect(head).toEqual(['WHAT', 'PER SECOND', 'MEDIAN', '95 %', '99 %']);
    expect(rows.map(([what]) => what)).toEqual(WHAT);
    for (const [, perSecond, ...times] of rows) {
      expect(Number(perSecond)).toBeGreaterThan(0);
      for (const time of times) expect(time).toMatch(/^\d+\.\d\d ms$/);
    }
    expect(await locks.client.keys('bedrock-bench:*')).toEqual([]);
  }, 60_000);

  it('writes an object for each line', async () => {
    const args = ['bench', '--for', '100ms', '--callers', '4', '--json'];
    const { stdout } = await bedrock(args, { environment: locks.environment });
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { what: string; medianMs: number; p99Ms: number });
    expect(lines.map(({ what }) => what)).toEqual(WHAT);
    for (const { medianMs, p99Ms } of lines) expect(p99Ms).toBeGreaterThanOrEqual(medianMs);
  }, 60_000);

  it.each([
    [['bench', 'redis://127.0.0.1:1', '--url', 'redis://127.0.0.1:1'], 64, 'give the URL once'],
    [['bench', 'redis://127.0.0.1:1', '--callers', '10001'], 64, '--callers must be at most 10000'],
    [['bench', 'redis://127.0.0.1:1', '--for', 'ever'], 64, '--for must be a time'],
    [['bench', 'redis://127.0.0.1:1'], 69, 'error: '],
  ])('refuses %j', async (args, code, text) => {
    expect(await bedrock(args)).toMatchObject({ code, stderr: expect.stringContaining(text) });
  });
});
