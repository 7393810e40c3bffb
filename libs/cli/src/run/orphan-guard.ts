import { spawn, type ChildProcess } from 'node:child_process';

/**
 * Waits for a line on its input. When the input ends without one, the process that holds the lock has died: the group is
 * asked to end, and killed after the grace.
 */
const SCRIPT = `read -r _ || { kill -TERM "-$1"; sleep "$2"; kill -KILL "-$1"; } 2>/dev/null`;

/**
 * Ends the group of a command when this process is killed, since nothing renews the lock of the command then. It is a shell
 * in a session of its own, so that what kills this process does not reach it.
 */
export class OrphanGuard {
  readonly #shell: ChildProcess;

  /** @param graceMs from the request to end until the group is killed */
  constructor(group: number, graceMs: number) {
    const graceSeconds = Math.max(1, Math.ceil(graceMs / 1_000));
    this.#shell = spawn('/bin/sh', ['-c', SCRIPT, 'bedrock-guard', String(group), String(graceSeconds)], {
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    this.#shell.unref();
    // A guard that cannot be started, or was killed, must not end the command.
    this.#shell.on('error', () => undefined);
    this.#shell.stdin?.on('error', () => undefined);
  }

  /** The group has ended. */
  dismiss(): void {
    this.#shell.stdin?.end('ended\n');
  }
}
