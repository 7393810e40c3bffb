import { EXIT, type ExitCode } from './cli/command.js';
import { helpPage } from './cli/help-page.js';
import { parseCommand } from './cli/parse-command.js';
import { UsageError } from './cli/usage-error.js';

/** Entry of `npm run bench`. */
async function main(args: readonly string[]): Promise<ExitCode> {
  const command = parseCommand(args);
  if (command.kind === 'help') {
    process.stdout.write(helpPage());
    return EXIT.done;
  }
  const { runBench } = await import('./cli/run-bench.js');
  return runBench(command);
}

function explain(error: unknown): ExitCode {
  if (error instanceof UsageError) {
    process.stderr.write(`error: ${error.message}\nhint: ${error.hint}\n`);
    return EXIT.usage;
  }
  const reason = error instanceof Error ? error.message : String(error);
  process.stderr.write(`error: the run could not be carried out: ${reason}\n`);
  return EXIT.notRun;
}

// An orderly end, so that the server and the contenders are ended too.
process.once('SIGINT', () => process.exit(130));
process.once('SIGTERM', () => process.exit(143));
process.exitCode = await main(process.argv.slice(2)).catch(explain);
