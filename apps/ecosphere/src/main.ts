#!/usr/bin/env node
import { EXIT, type ExitCode } from './cli/exit-code.js';
import { explain } from './cli/explain.js';
import { helpPage } from './cli/help-page.js';
import { parseCommand } from './cli/parse-command.js';
import { Terminal } from './report/terminal.js';

/** Entry of the command line. Loads Nest and the locks only when there is a scenario to run. */
async function main(args: readonly string[]): Promise<ExitCode> {
  const command = parseCommand(args, process.env);
  if (command.kind === 'help') {
    process.stdout.write(helpPage());
    return EXIT.kept;
  }
  const { runScenarios } = await import('./cli/run-scenarios.js');
  return runScenarios(command, new Terminal(process.stdout));
}

// Exits normally, so that servers and workers end too.
process.once('SIGINT', () => process.exit(130));
process.once('SIGTERM', () => process.exit(143));
process.exitCode = await main(process.argv.slice(2)).catch(explain);
