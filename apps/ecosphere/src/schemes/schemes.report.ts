import { count } from '../report/numbers.js';
import type { Check, Report, Section } from '../report/report.js';
import { FIGURE_NAMES, surprisesOf, type SchemeAccount } from './account.js';

/** A table for each scheme. A scheme passes with its known result, which for some is a failure. */
export function schemesReport(accounts: readonly SchemeAccount[]): Report {
  const checks = accounts.map(checkOf);
  const asKnown = checks.filter(({ isMet }) => isMet).length;
  return {
    sections: accounts.map(table),
    checks,
    notes: accounts.flatMap(({ name, ways }) =>
      ways.flatMap((way) => surprisesOf(way).map((surprise) => `${name}, ${surprise}`)),
    ),
    verdict: `schemes: ${asKnown} of ${accounts.length} did what they are known for`,
  };
}

function checkOf({ name, ways, summary }: SchemeAccount): Check {
  return { isMet: ways.every((way) => surprisesOf(way).length === 0), text: `${name}: ${summary}` };
}

/** One column for every figure of any of its ways. */
function table({ name, ways }: SchemeAccount): Section {
  const figures = FIGURE_NAMES.filter((figure) => ways.some(({ seen }) => seen[figure] !== undefined));
  return {
    head: [name, 'requests', ...figures],
    right: figures.map((_, at) => at + 2).concat(1),
    rows: ways.map((way) => [
      way.name,
      count(way.requests),
      ...figures.map((figure) => {
        const seen = way.seen[figure];
        return seen === undefined ? '-' : count(seen);
      }),
    ]),
  };
}
