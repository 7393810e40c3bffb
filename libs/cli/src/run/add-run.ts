import { InvalidArgumentError, type Command } from 'commander';
import { write } from 'node:fs';
import {
  addBackendOptions,
  backendOf,
  durationOption,
  type BackendOptions,
} from '../input/backend-options.js';
import { EXIT } from '../output/exit-codes.js';
import { UsageError } from '../input/usage-error.js';
import { RunMessages } from './run-messages.js';
import { runUnderLock } from './run-under-lock.js';

/** The options of `run`, as commander gives them. */
interface RunOptions extends BackendOptions {
  readonly wait?: number;
  readonly lease?: number;
  readonly holdAtLeast?: number;
  readonly grace: number;
  readonly skipIfHeld?: true;
  readonly conflictExitCode: number;
  readonly verbose?: true;
}

const DEFAULT_GRACE_MS = 10_000;

const EXPLANATION = `
Exit codes:
  the code of the command, or 128 + n when signal n ended it
  ${EXIT.usage}   wrong arguments; the command was not started
  ${EXIT.unavailable}   the backend could not be reached; the command was not started
  ${EXIT.conflict}   the lock was not granted; the command was not started
  ${EXIT.lost}   the lock was lost while the command was running: it may have done half of its work
  ${EXIT.notExecutable}  the command could not be executed
  ${EXIT.notFound}  the command was not found

The command gets BEDROCK_RESOURCE, BEDROCK_TOKEN (the fencing token, where the backend has tokens) and
BEDROCK_LEASE_UNTIL (when the first lease ends unless it is renewed, in ms since 1970).`;

/** Adds `run` to the program. @param exit receives the exit code */
export function addRun(program: Command, exit: (code: number) => void): void {
  const run = program
    .command('run')
    .description('run a command while a lock is held, which is renewed and released at its end')
    .argument('<resource>', 'name of the lock')
    .argument('<command...>', 'the command and its arguments, behind --')
    .usage('[options] <resource> -- <command> [arguments]')
    .addOption(
      durationOption(
        '-w, --wait <time>',
        'longest wait for the lock; 0s tries once (default: until a signal)',
      ),
    )
    .option('--skip-if-held', 'do not wait; do nothing and exit with 0 if the lock is held')
    .addOption(
      durationOption('--lease <time>', 'life of the lock without a sign of this process (default: 30s)'),
    )
    .addOption(
      durationOption(
        '--hold-at-least <time>',
        'keep the lock at least this long, even if the command ends earlier',
      ),
    )
    .addOption(
      durationOption('--grace <time>', 'from SIGTERM to SIGKILL when the lock is lost').default(
        DEFAULT_GRACE_MS,
        '10s',
      ),
    )
    .option(
      '--conflict-exit-code <code>',
      'exit code when the lock was not granted',
      parseExitCode,
      EXIT.conflict,
    )
    .option('-v, --verbose', 'also report that the lock was granted or the command skipped')
    .addHelpText('after', EXPLANATION);
  addBackendOptions(run, 'bedrock run').action(
    async (resource: string, command: string[], options: RunOptions) => {
      exit(await runCommand(resource, command, options));
    },
  );
}

async function runCommand(resource: string, command: string[], options: RunOptions): Promise<number> {
  const { wait, skipIfHeld, verbose, json, grace, conflictExitCode, holdAtLeast } = options;
  if (skipIfHeld === true && wait !== undefined)
    throw new UsageError('give either --skip-if-held or --wait, not both');
  if (process.platform === 'win32')
    throw new UsageError('run needs process groups, which Windows does not have');
  const messages = new RunMessages(resource, json === true ? 'json' : 'text', verbose === true, (line) =>
    // Never process.stderr, which waits for a slow reader: renewals must go on.
    write(2, `${line}\n`, () => undefined),
  );
  const backend = await backendOf(options, process.env);
  return runUnderLock(
    backend,
    {
      resource,
      command: command as [string, ...string[]],
      environment: process.env,
      waitMs: skipIfHeld === true ? 0 : (wait ?? Infinity),
      leaseMs: options.lease,
      holdAtLeastMs: holdAtLeast ?? 0,
      graceMs: grace,
      skipIfHeld: skipIfHeld === true,
      conflictExitCode,
    },
    messages,
  );
}

function parseExitCode(text: string): number {
  const code = Number(text);
  if (!/^\d+$/.test(text) || code > 255) throw new InvalidArgumentError('It must be a number from 0 to 255.');
  return code;
}
