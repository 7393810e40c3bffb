import { reasonOf } from '../report/reason-of.js';
import { EXIT, type ExitCode } from './exit-code.js';
import { UsageError } from './usage.error.js';

/** Prints to the standard error why the command cannot continue, and returns its exit code. */
export function explain(error: unknown): ExitCode {
  if (error instanceof UsageError) {
    process.stderr.write(`error: ${error.message}\nhint: ${error.hint}\n`);
    return EXIT.usage;
  }
  process.stderr.write(`error: the run could not be completed: ${reasonOf(error)}\n`);
  return EXIT.notRun;
}
