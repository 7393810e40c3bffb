import { formatHistory } from 'bedrock-testkit';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCell, type CellResult } from './cell.js';
import { SILENT } from './common-faults.js';
import type { Fault } from './fault.js';
import type { Ground } from './ground.js';
import { tableOf } from './table.js';

/** How often each fault strikes: twice, or as often as one likes. */
const INJECTIONS = Number(process.env['BEDROCK_INJECTIONS'] ?? 2);
const START_WITHIN_MS = 180_000;
const WITHIN_MS = 30_000 + 15_000 * INJECTIONS;

export interface Part<G extends Ground> {
  readonly on: string;
  readonly start: () => Promise<G>;
  readonly faults: readonly Fault<G>[];
}

/** A test per fault on each ground, a table of what came of them, and a test that the judge would see two holders. */
export function faultSuite<G extends Ground>(parts: readonly Part<G>[]): void {
  const table: CellResult[] = [];
  afterAll(() => console.log(tableOf(table)));

  describe.each(parts)('a lock on $on keeps its promises', ({ on, start, faults }) => {
    let ground: G;
    beforeAll(async () => {
      ground = await start();
    }, START_WITHIN_MS);
    afterAll(() => ground.stop(), START_WITHIN_MS);

    it.each(faults.map((fault) => [fault.name, fault] as const))(
      '%s',
      async (_name, fault) => {
        const result = await runCell({ ground, fault, injections: INJECTIONS });
        table.push(result);
        keepWhatBroke(result);
        expect(result.violations).toEqual([]);
        expectEffect(fault, result);
      },
      WITHIN_MS,
    );

    if (on !== parts[0]!.on) return;
    it(
      'and the judge sees two holders where they believe in longer leases than they have',
      async () => {
        const { violations } = await runCell({ ground, fault: SILENT, injections: 2, overstated: 4 });
        expect(violations).toContainEqual(expect.stringMatching(/^I1: /));
      },
      WITHIN_MS,
    );
  });
}

/** A fault that changes nothing for anybody has not struck. */
function expectEffect({ brings }: Fault<never>, { report, injections }: CellResult): void {
  const failed = Object.values(report.failures).reduce((sum, count) => sum + count, 0);
  expect(report.leases).toBeGreaterThan(5 * injections);
  if (brings === 'losses') expect(report.lost).toBeGreaterThan(0);
  if (brings === 'losses or failures') expect(report.lost + failed).toBeGreaterThan(0);
  if (brings === 'waits at most') {
    expect(report.lost).toBe(0);
    expect(report.failures).not.toHaveProperty('BACKEND_UNAVAILABLE');
  }
}

function keepWhatBroke({ fault, violations, history }: CellResult): void {
  if (violations.length === 0) return;
  const file = join(mkdtempSync(join(tmpdir(), 'bedrock-faults-')), 'history.jsonl');
  writeFileSync(file, formatHistory(history));
  console.log(`${fault}: the history is in ${file}`);
}
