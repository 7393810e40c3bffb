import { assertSound } from '../combination/run-result.js';
import { runCell, type CellResult } from './cell.js';
import { SILENT } from './common-faults.js';
import type { Fault } from './fault.js';
import type { EngineFixture } from './engine-fixture.js';
import { tableOf } from './table.js';

/** How often each fault strikes: once in each of its ways, or as often as one likes. */
const INJECTIONS = process.env['BEDROCK_INJECTIONS'];
const injectionsOf = ({ variants = 1 }: Fault<never>): number => Number(INJECTIONS ?? variants);
const START_WITHIN_MS = 180_000;
const WITHIN_MS = 30_000 + 15_000 * Number(INJECTIONS ?? 2);

/** Others hold it within its last three quarters: on etcd, where it is silent, they notice after some 600 ms. */
const OVERSTATED_LEASE_MS = 2_400;

export interface FaultSuitePart<G extends EngineFixture> {
  readonly on: string;
  readonly start: () => Promise<G>;
  readonly faults: readonly Fault<G>[];
}

/** A test per fault on each engine, a table of what came of them, and a test that the judge would see two holders. */
export function faultSuite<G extends EngineFixture>(parts: readonly FaultSuitePart<G>[]): void {
  const table: CellResult[] = [];
  afterAll(() => console.log(tableOf(table)));

  describe.each(parts)('a lock on $on keeps its promises', ({ on, start, faults }) => {
    let fixture: G;
    beforeAll(async () => {
      fixture = await start();
    }, START_WITHIN_MS);
    afterAll(() => fixture.stop(), START_WITHIN_MS);

    it.each(faults.map((fault) => [fault.name, fault] as const))(
      '%s',
      async (_name, fault) => {
        const result = await runCell({ fixture, fault, injections: injectionsOf(fault) });
        table.push(result);
        const { record } = result;
        assertSound({ ...record, others: withoutEffect(fault, result) });
      },
      WITHIN_MS,
    );

    if (on !== parts[0]!.on) return;
    it(
      'and the judge sees two holders where they believe in longer leases than they have',
      async () => {
        const fault = { ...SILENT, leaseMs: OVERSTATED_LEASE_MS };
        const { violations } = await runCell({ fixture, fault, injections: 2, overstated: 4 });
        expect(violations).toContainEqual(expect.stringMatching(/^I1: /));
      },
      WITHIN_MS,
    );
  });
}

/** A fault without an effect has not struck; one that brings waits must bring nothing else. */
function withoutEffect({ brings }: Fault<never>, { report, injections }: CellResult): string[] {
  const { leases, lost, failures } = report;
  const failed = Object.values(failures).reduce((sum, count) => sum + count, 0);
  const broken: readonly (readonly [isSo: boolean, text: string])[] = [
    [!(leases > 5 * injections), `no more than ${leases} leases in ${injections} faults`],
    [brings === 'losses' && !(lost > 0), 'no lease was lost'],
    [brings === 'losses or failures' && !(lost + failed > 0), 'nothing was lost and no call failed'],
    [brings === 'waits at most' && lost > 0, `${lost} leases were lost, where callers may wait at most`],
    [brings === 'waits at most' && 'BACKEND_UNAVAILABLE' in failures, 'a caller heard BACKEND_UNAVAILABLE'],
  ];
  return broken.flatMap(([isSo, text]) => (isSo ? [`effect: ${text}`] : []));
}
