import type { Row } from '../scenarios/run-scenario.js';
import type { Scenario } from '../scenarios/scenario.js';

/**
 * One object per library: scenario, library, its figures, ratioToRaw; `failure` gives the reason for missing figures.
 */
export function jsonLines({ name }: Scenario, rows: readonly Row[]): string {
  return rows
    .map(({ library, figures, ratioToRaw, failure }) => {
      const rounded = Object.entries(figures).map(([figure, value]) => [figure, sixDigits(value)]);
      const line = {
        scenario: name,
        library,
        ...(Object.fromEntries(rounded) as object),
        ratioToRaw: sixDigits(ratioToRaw ?? NaN),
        ...(failure !== undefined && { failure }),
      };
      return `${JSON.stringify(line)}\n`;
    })
    .join('');
}

/** Null for a missing value, since JSON has no NaN. */
function sixDigits(value: number): number | null {
  return Number.isFinite(value) ? Number(value.toPrecision(6)) : null;
}
