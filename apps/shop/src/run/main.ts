#!/usr/bin/env node
import { Closer } from './closer.js';
import { EXIT, type ExitCode } from './exit-code.js';
import { helpPage } from './help-page.js';
import { parseRun } from './parse-run.js';
import { UsageError } from './usage.error.js';

const closer = new Closer();

/** Entry of `npm run shop`. Loads servers and clients only when there is something to run. */
async function main(args: readonly string[]): Promise<ExitCode> {
  const command = parseRun(args);
  if (command.kind === 'help') {
    process.stdout.write(helpPage());
    return EXIT.agrees;
  }
  const { runShop } = await import('./run-shop.js');
  return runShop(command, (line) => process.stdout.write(`${line}\n`), closer);
}

/** Prints to the standard error why the command cannot continue, and returns its exit code. */
function explain(error: unknown): ExitCode {
  if (error instanceof UsageError) {
    process.stderr.write(`error: ${error.message}\nhint: ${error.hint}\n`);
    return EXIT.usage;
  }
  // Closing makes the run fail; the signal is the real reason.
  if (!closer.isClosed) {
    const reason = error instanceof Error ? error.message : String(error);
    process.stderr.write(`error: the run could not be completed: ${reason}\n`);
  }
  return EXIT.notRun;
}

let ending: number | undefined;
for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const) {
  process.on(signal, () => {
    // A second signal ends the process at once.
    if (ending !== undefined) process.exit(code);
    ending = code;
    void closer.close().then(() => process.exit(code));
  });
}

const exitCode = await main(process.argv.slice(2)).catch(explain);
await closer.close();
process.exit(ending ?? exitCode);
