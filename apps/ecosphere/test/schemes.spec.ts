import { describe, expect, it } from '@jest/globals';
import { BackendUnavailableError } from 'bedrock-lock';
import { isKept } from '../src/report/report.js';
import type { SchemeAccount, Way } from '../src/schemes/account.js';
import { atOnce } from '../src/schemes/concurrent-requests.js';
import { Barrier } from '../src/schemes/barrier.js';
import { schemesReport } from '../src/schemes/schemes.report.js';
import { ServerError } from '../src/server/server.error.js';

const asKnown: Way = {
  name: 'index',
  requests: 50,
  seen: { succeeded: 1, orders: 1 },
  known: { succeeded: 1, orders: 1 },
  failures: [],
};

function reportOn(...ways: Way[]): ReturnType<typeof schemesReport> {
  const good: SchemeAccount = { name: 'good', ways: [asKnown], summary: 'one order' };
  return schemesReport([good, { name: 'tried', ways, summary: 'what was seen' }]);
}

describe('the report on the schemes', () => {
  it('is kept when every way did what it is known for', () => {
    const report = reportOn(asKnown, asKnown);
    expect(isKept(report)).toBe(true);
    expect(report.notes).toEqual([]);
    expect(report.verdict).toBe('schemes: 2 of 2 did what they are known for');
  });

  it('is broken by one figure of one way, and says which', () => {
    const report = reportOn(asKnown, { ...asKnown, seen: { succeeded: 1, orders: 2 } });
    expect(isKept(report)).toBe(false);
    expect(report.notes).toEqual(['tried, index: orders 2, should be 1']);
    expect(report.verdict).toBe('schemes: 1 of 2 did what they are known for');
  });

  it('is broken by a figure that was not counted', () => {
    expect(isKept(reportOn({ ...asKnown, seen: { succeeded: 1 } }))).toBe(false);
  });

  it('is broken by a request that got an error instead of an answer, and reports it once', () => {
    const report = reportOn({ ...asKnown, failures: ['Duplicate entry', 'Duplicate entry'] });
    expect(isKept(report)).toBe(false);
    expect(report.notes).toEqual(['tried, index: a request failed: Duplicate entry']);
  });

  it('has a column for what one way has counted and the other has not', () => {
    const other: Way = { ...asKnown, seen: { succeeded: 50, replayed: 49, orders: 1 } };
    const [, section] = reportOn(asKnown, other).sections;
    expect(section!.head).toEqual(['tried', 'requests', 'succeeded', 'replayed', 'orders']);
    expect(section!.rows).toEqual([
      ['index', '50', '1', '-', '1'],
      ['index', '50', '50', '49', '1'],
    ]);
  });
});

describe('requests at once', () => {
  it('are counted by their answers, and errors are kept', async () => {
    const outcomes = await atOnce(5, async (index) => {
      if (index === 4) throw new Error('Duplicate entry');
      return index === 0 ? 'success' : 'repeat request';
    });
    expect([outcomes.count('success'), outcomes.count('repeat request')]).toEqual([1, 3]);
    expect(outcomes.failures).toEqual(['Duplicate entry']);
  });

  it.each([
    ['database', new ServerError('gone')],
    ['Redis', new BackendUnavailableError('redis', 'gone', 'no')],
  ])('say nothing of a scheme when the %s is gone', async (_name, gone) => {
    let done = 0;
    const outcomes = atOnce(3, async (index) => {
      if (index === 0) throw gone;
      await Promise.resolve();
      done += 1;
      return 'success';
    });
    await expect(outcomes).rejects.toBe(gone);
    // No request is left behind with a connection.
    expect(done).toBe(2);
  });
});

describe('a barrier', () => {
  it('lets no request go on before the last one has arrived', async () => {
    const barrier = new Barrier(3);
    let gone = 0;
    const join = () => barrier.wait().then(() => (gone += 1));
    const early = [join(), join()];
    await new Promise(setImmediate);
    expect(gone).toBe(0);
    await Promise.all([...early, join()]);
    expect(gone).toBe(3);
  });

  it('gives up when a request never arrives, and says how many did', async () => {
    const barrier = new Barrier(3, 20);
    const ends = await Promise.allSettled([barrier.wait(), barrier.wait()]);
    expect(ends.map((end) => end.status === 'rejected' && String(end.reason))).toEqual([
      'Error: only 2 of 3 requests arrived within 20 ms',
      'Error: only 2 of 3 requests arrived within 20 ms',
    ]);
  });
});
