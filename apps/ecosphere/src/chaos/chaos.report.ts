import { count, duration } from '../report/numbers.js';
import type { Report, Section } from '../report/report.js';
import type { NodeNotes } from './node.log.js';
import type { NodeOutage } from './node-chaos.js';

/** The observations of one process. */
interface ObservedNodes {
  readonly nodes: NodeNotes;
}

/** The report of a run in which a node was killed, with the observations of the processes. */
export function withChaos(report: Report, outage: NodeOutage, results: readonly ObservedNodes[]): Report {
  const notes = results.map(({ nodes }) => nodes);
  const noticed = notes.filter(({ gone }) => gone > 0).length;
  const served = notes.filter(({ back }) => back > 0).length;
  return {
    ...report,
    sections: [...report.sections, whatHappened(outage, notes)],
    checks: [
      ...report.checks,
      {
        isMet: noticed === notes.length,
        text: `${noticed} of ${notes.length} processes noticed the outage of ${outage.nodeId} and kept selling`,
      },
      {
        isMet: served === notes.length,
        text: `${served} of ${notes.length} processes used it again after a quarantine of one lease`,
      },
    ],
  };
}

function whatHappened({ nodeId, atPurchases, awayMs }: NodeOutage, notes: readonly NodeNotes[]): Section {
  const sum = (field: keyof NodeNotes): string =>
    count(notes.reduce((total, note) => total + note[field], 0));
  return {
    rows: [
      [nodeId, `killed after ${count(atPurchases)} purchases`, `started empty after ${duration(awayMs)}`],
      ['noticed', `gone ${sum('gone')}   in quarantine ${sum('quarantined')}`, `back ${sum('back')}`],
      ['leases', `lost ${sum('lostLeases')}`],
    ],
  };
}
