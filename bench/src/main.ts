import { EXIT, type ExitCode } from './cli/command.js';
import { explain } from './cli/explain.js';
import { helpPage } from './cli/help-page.js';
import { parseCommand } from './cli/parse-command.js';

/** Entry of `npm run bench`. */
async function main(args: readonly string[]): Promise<ExitCode> {
  const command = parseCommand(args, process.env);
  if (command.kind === 'help') {
    process.stdout.write(helpPage());
    return EXIT.done;
  }
  const { runBench } = await import('./cli/run-bench.js');
  return runBench(command);
}

// Exits normally, so that the server and the contenders end too.
process.once('SIGINT', () => process.exit(130));
process.once('SIGTERM', () => process.exit(143));
process.exitCode = await main(process.argv.slice(2)).catch(explain);
