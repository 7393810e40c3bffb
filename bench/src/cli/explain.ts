import { EXIT, type ExitCode } from './command.js';
import { UsageError } from './usage-error.js';

/** Prints to the standard error why the bench cannot continue, and returns its exit code. */
export function explain(error: unknown): ExitCode {
  if (error instanceof UsageError) {
    process.stderr.write(`error: ${error.message}\nhint: ${error.hint}\n`);
    return EXIT.usage;
  }
  const reason = error instanceof Error ? error.message : String(error);
  process.stderr.write(`error: the run could not be completed: ${reason}\n`);
  return EXIT.notRun;
}
