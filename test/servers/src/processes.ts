import { execFileSync, spawnSync } from 'node:child_process';

/**
 * `ps` and not `/proc`, which macOS lacks. Only the option that shows environments differs between the two.
 * The part about macOS could not be tried: it follows the manual.
 */
const WITH_ENVIRONMENT = process.platform === 'darwin' ? ['-AEww'] : ['axeww'];
/** Room for the environments of a busy machine. */
const MAX_BYTES = 64 << 20;
const FROZEN_WITHIN_MS = 2_000;

/** The processes that `parent` has started and that still run. @throws Error where there is no `ps` (Debian: procps) */
export function childrenOf(parent: number): number[] {
  const rows = linesOf('-A', '-o', 'pid=,ppid=').map((line) => line.trim().split(/\s+/).map(Number));
  return rows.flatMap(([pid, ppid]) => (ppid === parent ? [pid!] : []));
}

/**
 * Stops the processes by SIGSTOP, and returns when they stand still: the signal alone returns before, and a server on another
 * core may answer once more.
 * @throws Error when one of them still runs after two seconds
 */
export function freeze(pids: readonly number[]): void {
  for (const pid of pids) signalIfThere(pid, 'SIGSTOP');
  const deadline = performance.now() + FROZEN_WITHIN_MS;
  for (let running = pids; running.length > 0; running = running.filter((pid) => !isFrozen(pid))) {
    if (performance.now() > deadline) throw new Error(`not frozen: ${running.join(', ')}`);
  }
}

/** Sends a signal; a process that is gone needs none. */
export function signalIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Also true of a process that is gone. */
function isFrozen(pid: number): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'state=', '-p', String(pid)], { encoding: 'utf8' });
  return /^[TZ]?$/.test(stdout.trim().slice(0, 1));
}

/**
 * Command lines of this user's processes that have `variable` in their environment with this value: so a process is found
 * after its parent has died.
 */
export function commandsWith(variable: string, value: string): string[] {
  // The environment follows the command; variables have names in capitals.
  return linesOf(...WITH_ENVIRONMENT, '-o', 'command=')
    .filter((line) => line.split(' ').includes(`${variable}=${value}`))
    .map((line) => line.replace(/ [A-Z_][A-Z0-9_]*=.*/, ''));
}

function linesOf(...args: string[]): string[] {
  return execFileSync('ps', args, { encoding: 'utf8', maxBuffer: MAX_BYTES }).split('\n');
}
