import type { Row } from '../scenarios/run-scenario.js';
import type { Target } from '../scenarios/scenario.js';

/** Bedrock's result against a target. */
export interface Verdict {
  readonly target: Target;
  /** Undefined if it was not measured. */
  readonly value: number | undefined;
  readonly isReached: boolean;
}

/** Targets of libraries that took part, if their reference did too. */
export function verdictsOf(targets: readonly Target[], rows: readonly Row[]): Verdict[] {
  return targets.flatMap((target) => {
    const { library, beside = library } = target;
    const row = rows.find((one) => one.library === library);
    if (row === undefined || !rows.some((one) => one.library === beside)) return [];
    const value = target.figure === 'ratioToRaw' ? row.ratioToRaw : row.figures[target.figure];
    const { atMost = Infinity, atLeast = -Infinity } = target;
    return [{ target, value, isReached: value !== undefined && value <= atMost && value >= atLeast }];
  });
}
