import { spawn, type ChildProcess } from 'node:child_process';

/**
 * Waits for a line on its input. When the input ends without one, the process that holds the lock has died: the group is
 * asked to end, and killed after the grace.
 */
const SCRIPT = `
  trap '' TERM INT HUP
  exec 2>/dev/null
  read -r _ && exit
  kill -TERM "-$1"
  left=$2
  while [ "$left" -gt 0 ] && kill -0 "-$1"; do sleep 1 || exit; left=$((left - 1)); done
  kill -0 "-$1" && kill -KILL "-$1"`;

/**
 * Ends the group of a command when this process is killed, since nothing renews the lock of the command then. It is a shell
 * in a session of its own, so that what kills this process does not reach it.
 */
export class OrphanGuard {
  readonly #shell: ChildProcess | undefined;

  /** @param graceMs from the request to end until the group is killed */
  constructor(group: number, graceMs: number) {
    const graceSeconds = Math.max(1, Math.ceil(graceMs / 1_000));
    try {
      this.#shell = spawn('/bin/sh', ['-c', SCRIPT, 'bedrock-guard', String(group), String(graceSeconds)], {
        detached: true,
        stdio: ['pipe', 'ignore', 'ignore'],
      });
    } catch {
      // The command runs already: without a guard it is as safe as any other.
      return;
    }
    this.#shell.unref();
    // A guard that cannot be started, or was killed, must not end the command.
    this.#shell.on('error', () => undefined);
    this.#shell.stdin?.on('error', () => undefined);
  }

  /** The group has ended. */
  dismiss(): void {
    this.#shell?.stdin?.end('ended\n');
  }
}
