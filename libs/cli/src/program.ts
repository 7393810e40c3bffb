import addCompletion from '@bomb.sh/tab/commander';
import { BackendUnavailableError, InvalidOptionError, isLockError } from 'bedrock-lock';
import { Command, CommanderError } from 'commander';
import { readFileSync } from 'node:fs';
import { addBench } from './bench/add-bench.js';
import { addDoctor } from './doctor/add-doctor.js';
import { UsageError } from './input/usage-error.js';
import { addEndings } from './locks/add-ending.js';
import { addList } from './locks/add-list.js';
import { addNodes } from './locks/add-nodes.js';
import { addProcesses } from './locks/add-processes.js';
import { addShow } from './locks/add-show.js';
import { addWait } from './locks/add-wait.js';
import { addWatch } from './locks/add-watch.js';
import { EXIT } from './output/exit-codes.js';
import { visibleMessage } from './output/visible.js';
import { addRun } from './run/add-run.js';

const COMPLETION = 'completion';

/** In the order of the help. */
const VERBS = [
  addRun,
  addShow,
  addWait,
  addEndings,
  addList,
  addWatch,
  addProcesses,
  addNodes,
  addDoctor,
  addBench,
];

/**
 * Runs `bedrock` with these arguments.
 * @param args without the interpreter and the script
 * @returns the exit code
 */
export async function runProgram(args: readonly string[]): Promise<number> {
  let exitCode: number = EXIT.ok;
  const program = new Command('bedrock')
    .description('Distributed locks for any command')
    .version(versionOf(), '--version')
    .exitOverride()
    .showSuggestionAfterError();
  const exit = (code: number) => (exitCode = code);
  for (const add of VERBS) add(program, exit);
  // `bedrock completion <shell>` writes a script, which asks `bedrock complete -- …` for what may come next.
  addCompletion(program, { completionCommandName: COMPLETION });
  program.commands
    .find((command) => command.name() === COMPLETION)
    ?.description('write a script that completes commands and options in a shell');
  // The timers of the library keep no process alive, and a wait may have nothing else.
  const alive = setInterval(() => undefined, 60_000);
  try {
    checkSeparator(args);
    await program.parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (error) {
    return codeFor(error);
  } finally {
    clearInterval(alive);
  }
}

/** Without it, options of the command would be taken for those of `run`. @throws UsageError */
function checkSeparator([verb, ...rest]: readonly string[]): void {
  if (verb !== 'run' || rest.length === 0 || rest.includes('--')) return;
  if (!rest.includes('--help') && !rest.includes('-h'))
    throw new UsageError('the command and its arguments go behind --: bedrock run <resource> -- <command>');
}

/** The options of the command line that the library knows by another name. */
const OPTION_OF: Readonly<Partial<Record<string, string>>> = {
  name: 'the name of the lock',
  leaseMs: '--lease',
  holdAtLeastMs: '--hold-at-least',
  operationTimeoutMs: '--operation-timeout',
  maxLeaseMs: '--max-lease',
  label: '--label',
  root: '--root',
  tablePrefix: '--table-prefix',
  schema: '--schema',
  url: '--url',
};

/** Reports an error, and gives the exit code. @throws any error but those of the user and of the backend */
function codeFor(error: unknown): number {
  // Commander has reported it: help, the version, or wrong arguments.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  if (!(error instanceof UsageError || isLockError(error))) throw error;
  const option = error instanceof InvalidOptionError ? OPTION_OF[error.field] : undefined;
  const message = visibleMessage(error);
  process.stderr.write(`error: ${option === undefined ? message : message.replace(/^\S+/, option)}\n`);
  return error instanceof BackendUnavailableError ? EXIT.unavailable : EXIT.usage;
}

function versionOf(): string {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  return version;
}
