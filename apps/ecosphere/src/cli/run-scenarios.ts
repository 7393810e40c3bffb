import { printReport } from '../report/print-report.js';
import { isKept } from '../report/report.js';
import type { Terminal } from '../report/terminal.js';
import { SCENARIOS } from '../scenarios/scenarios.js';
import { openRunServers } from '../server/open-run-servers.js';
import { EXIT, type ExitCode } from './exit-code.js';
import type { RunOptions } from './run-options.js';

/** Runs the requested scenarios, one after the other, on the same servers. */
export async function runScenarios(options: RunOptions, terminal: Terminal): Promise<ExitCode> {
  const { servers, label, nodes, close } = await openRunServers(options);
  let exitCode: ExitCode = EXIT.kept;
  try {
    for (const name of options.scenarios) {
      const report = await SCENARIOS[name]({ options, servers, serversLabel: label, nodes, terminal });
      printReport(terminal, report);
      if (!isKept(report)) exitCode = EXIT.broken;
    }
  } finally {
    await close();
  }
  return exitCode;
}
