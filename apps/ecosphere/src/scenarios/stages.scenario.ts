import { duration } from '../report/numbers.js';
import { printTitle } from '../report/print-report.js';
import { Progress } from '../report/progress.js';
import type { Report } from '../report/report.js';
import { FAULT_NAMES } from '../stages/faults.js';
import { IMPLEMENTATION_NAMES } from '../stages/implementations.js';
import { runTrial, type TrialResult } from '../stages/run-trial.js';
import { stagesReport } from '../stages/stages.report.js';
import type { ScenarioContext } from './scenario.js';

/** The five stages of a hand-made Redis lock and Bedrock, each under each fault. */
export async function stages({ options, servers, serversLabel, terminal }: ScenarioContext): Promise<Report> {
  if (servers.kind !== 'redis') throw new Error('the hand-made locks live on Redis');
  const { leaseMs = 300 } = options;
  printTitle(terminal, 'Stages', [
    `five hand-made locks and Bedrock under ${FAULT_NAMES.length} faults, leases of ${duration(leaseMs)}, locks ${serversLabel}`,
    'processes are killed and stopped, deletions delayed on the wire; a referee tracks the holders',
  ]);
  const progress = new Progress(terminal, IMPLEMENTATION_NAMES.length * FAULT_NAMES.length, 'trials');
  const results: TrialResult[] = [];
  for (const implementation of IMPLEMENTATION_NAMES) {
    const row = FAULT_NAMES.map(async (fault) => {
      const { url, prefix } = servers;
      results.push(await runTrial({ implementation, fault, url, prefix, leaseMs }));
      progress.show(results.length);
    });
    // All trials must end before the server may stop.
    const failed = (await Promise.allSettled(row)).find((end) => end.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }
  progress.end();
  return stagesReport(results, (style, text) => terminal.paint(style, text));
}
