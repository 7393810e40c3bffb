import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chart } from '../../../bench/src/report/chart.js';
import { costOfParts } from '../../../bench/src/report/cost-of-parts.js';
import { fillPage, RESULT_PAGES } from '../../../bench/src/report/fill-page.js';
import { jsonLines } from '../../../bench/src/report/json-lines.js';
import { markdownTable } from '../../../bench/src/report/markdown-table.js';
import { threeDigits } from '../../../bench/src/report/numbers.js';
import { scenarioSection } from '../../../bench/src/report/scenario-section.js';
import { verdictsOf } from '../../../bench/src/report/verdict.js';
import type { Row } from '../../../bench/src/scenarios/run-scenario.js';
import { flashSale } from '../../../bench/src/scenarios/flash-sale.js';
import { s1 } from '../../../bench/src/scenarios/s1.js';
import { s3 } from '../../../bench/src/scenarios/s3.js';
import { SCENARIOS } from '../../../bench/src/scenarios/scenarios.js';

const machine = {
  cpu: 'A CPU',
  cores: 2,
  node: '20.0.0',
  redis: '7.0.15',
  ioredis: '6.0.0',
  date: '2026-01-02',
  load: 0.1,
};

function rowOf(
  library: Row['library'],
  p50Us: number,
  ratioToRaw: number | undefined,
  failure?: string,
): Row {
  return { library, figures: { p50Us, p99Us: 2 * p50Us, commandsPerCycle: 2 }, ratioToRaw, failure };
}

const rows: Row[] = [
  rowOf('raw', 100, 1),
  rowOf('bedrock', 110.4, 1.104),
  { library: 'verrou', figures: {}, ratioToRaw: undefined, failure: 'Error: no\nclient' },
];

describe('a table of the bench', () => {
  it('lines up, names to the left and figures to the right', () => {
    const table = markdownTable(['library', 'ms'], [['raw', '1'], ['Bedrock', '10.25']]); // prettier-ignore
    expect(table.split('\n')).toEqual([
      '| library |    ms |',
      '| ------- | ----: |',
      '| raw     |     1 |',
      '| Bedrock | 10.25 |',
    ]);
  });

  it.each([
    [12_345.6, '12,346'],
    [53.24, '53.2'],
    [1.068, '1.07'],
    [0.0123, '0.012'],
    [0.0000154, '0.000015'],
    [NaN, '-'],
  ])('shows %d as %s', (value, shown) => {
    expect(threeDigits(value)).toBe(shown);
  });
});

describe('a scenario in the report', () => {
  it('has a row for every participant, whether a target was reached, and why a participant could not run', () => {
    const section = scenarioSection(s1, rows);
    expect(section).toMatch(/\| Bedrock +\| +110\.4 \| +221 \| +2\.00 \| +1\.10 \|/);
    expect(section).toMatch(/\| verrou +\| +- \| +- \| +- \| failed \|/);
    expect(section).toContain('- reached: Bedrock, × raw 1.10 (at most 1.15)');
    expect(section).toContain('- verrou could not run: Error: no client');
  });

  it('says so when a target was missed or could not be judged', () => {
    const verdicts = verdictsOf(s1.targets, [
      rowOf('bedrock', 120, 1.2),
      rowOf('bedrock-guarded', 1, undefined),
    ]);
    expect(verdicts.map(({ isReached, value }) => [isReached, value])).toEqual([
      [false, 1.2],
      [false, undefined],
    ]);
    expect(verdictsOf(s1.targets, [rowOf('raw', 1, 1)])).toEqual([]);
  });

  it('judges a target beside Redisson only where Redisson took part', () => {
    const row = { library: 'bedrock', figures: { oversold: 0, ofRedisson: 4.9 }, ratioToRaw: 8, failure: undefined } as const; // prettier-ignore
    const beside = { library: 'redisson', figures: {}, ratioToRaw: 2, failure: undefined } as const;
    const judged = (rows: readonly Row[]) =>
      verdictsOf(flashSale.targets, rows).map(({ target, isReached }) => [target.figure, isReached]);
    expect(judged([row])).toEqual([['oversold', true]]);
    expect(judged([row, beside])).toEqual([
      ['oversold', true],
      ['ofRedisson', false],
    ]);
    expect(judged([{ ...row, figures: { oversold: 0, ofRedisson: 5 } }, beside])[1]).toEqual([
      'ofRedisson',
      true,
    ]);
    expect(judged([{ ...row, figures: { oversold: 0, ofRedisson: NaN } }, beside])[1]).toEqual([
      'ofRedisson',
      false,
    ]);
  });

  it('keeps both sides of a bound', () => {
    const row = { library: 'bedrock' as const, ratioToRaw: 30, failure: undefined };
    const verdicts = verdictsOf(s3.targets, [{ ...row, figures: { commandsPerCycle: 0.06, jain: 0.99 } }]);
    expect(verdicts.map(({ target, isReached }) => [target.figure, isReached])).toEqual([
      ['ratioToRaw', true],
      ['commandsPerCycle', false],
      ['jain', true],
    ]);
  });

  it('takes the cost of each part from the rows with and without it', () => {
    const parts = costOfParts([
      ...rows,
      rowOf('bedrock-no-tokens', 111, 1.11),
      rowOf('bedrock-run', 115.4, 1.15),
    ]);
    expect(parts).toMatch(/\| fencing tokens +\| +−0\.6 \| +-0\.01 \|/);
    expect(parts).toMatch(/\| `run` instead of `acquire` and `release` +\| +\+5\.0 \| +0\.05 \|/);
    expect(parts).not.toContain('restartGuard');
    expect(costOfParts([])).toBe('');
  });

  it('is one object per line as JSON', () => {
    const lines = jsonLines(s1, rows).trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      { scenario: 'S1', library: 'raw', p50Us: 100, p99Us: 200, commandsPerCycle: 2, ratioToRaw: 1 },
      {
        scenario: 'S1',
        library: 'bedrock',
        p50Us: 110.4,
        p99Us: 220.8,
        commandsPerCycle: 2,
        ratioToRaw: 1.104,
      },
      { scenario: 'S1', library: 'verrou', ratioToRaw: null, failure: 'Error: no\nclient' },
    ]);
  });
});

describe('the pages of results', () => {
  const report = { machine, results: [{ scenario: s1, rows }], engines: [] };
  const read = (name: string): string =>
    readFileSync(join(import.meta.dirname, '../../../docs/performance', name), 'utf8');

  it.each(RESULT_PAGES)('%s gets new results between its marks and keeps the rest', (name) => {
    const page = read(name);
    const filled = fillPage(page, report);
    expect(filled).toContain('2026-01-02, A CPU, 2 cores');
    expect(fillPage(filled, report)).toBe(filled);
    const [mark, end] = ['-->', '<!-- /results -->'];
    expect(filled.slice(0, filled.indexOf(mark))).toBe(page.slice(0, page.indexOf(mark)));
    expect(filled.slice(filled.indexOf(end))).toBe(page.slice(page.indexOf(end)));
  });

  it('get the scenarios that their mark names', () => {
    const pageOf = (list: string) =>
      `# Page\n\n<!-- results of ${list}: written by npm run bench -- --write-docs -->\n\n<!-- /results -->\n`;
    expect(fillPage(pageOf('S3, S1'), report)).toContain('\n### S1: ');
    expect(fillPage(pageOf('S3, S8'), report)).not.toContain('\n### ');
    expect(() => fillPage('# no marks', report)).toThrow('lost its markers');
  });

  it('have a heading for every scenario, each on the one page whose mark names it', () => {
    const pages = RESULT_PAGES.map(read);
    const results = SCENARIOS.map((scenario) => ({ scenario, rows: [] }));
    const filled = pages.map((page) => fillPage(page, { ...report, results }));
    for (const { name, title } of SCENARIOS) {
      const heading = `\n### ${name}: ${title}\n`;
      const places = [pages, filled].map((texts) => texts.map((text) => text.split(heading).length - 1));
      expect([name, places[1]]).toEqual([name, places[0]]);
      expect([name, ...places[0]!].toSorted()).toEqual([0, 0, 0, 1, name]);
    }
  });

  it('draws lower costs and higher speeds to the same side', () => {
    const faster = { scenario: s3, rows: [rowOf('raw', 1, 1), rowOf('bedrock', 1, 50)] };
    const cheaper = { scenario: s1, rows: [rowOf('raw', 1, 1), rowOf('bedrock', 1, 0.02)] };
    const svg = chart({ machine, results: [faster, cheaper], engines: [] });
    const [one, other] = [...svg.matchAll(/<circle class="bedrock" cx="([\d.]+)"/g)].map(([, x]) => x);
    expect(one).toBe(other);
    expect(svg.match(/>50\.0×</g)).toHaveLength(2);
    expect(svg).toMatch(/^<svg [^>]*role="img"[^]*<\/svg>\n$/);
  });
});
