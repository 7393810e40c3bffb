import { spawn, type ChildProcess } from 'node:child_process';

/**
 * Waits for a line on its input. When the input ends without one, the process that holds the lock has died: all groups of the
 * session with a living process are asked to end, and killed after the grace. Without /proc that is the first group alone.
 */
const SCRIPT = `
  trap '' TERM INT HUP
  exec 2>/dev/null
  read -r _ && exit
  session=$1 left=$2
  groups() {
    [ -r /proc/self/stat ] || { kill -0 "-$session" && echo "$session"; return; }
    for file in /proc/[0-9]*/stat; do
      read -r stat <"$file" || continue
      set -- \${stat##*) }
      [ "$4" = "$session" ] && [ "$1" != Z ] && echo "$3"
    done
  }
  send() { for group in $(groups); do kill "-$1" "-$group"; done; }
  send TERM
  while [ "$left" -gt 0 ] && [ -n "$(groups)" ]; do sleep 1 || exit; left=$((left - 1)); done
  send KILL`;

/**
 * Ends a command when this process is killed, since nothing renews the lock of the command then. It is a shell in a session of
 * its own, so that what kills this process does not reach it.
 */
export class OrphanGuard {
  readonly #shell: ChildProcess | undefined;

  /** @param graceMs from the request to end until the processes are killed */
  constructor(session: number, graceMs: number) {
    const graceSeconds = Math.max(1, Math.ceil(graceMs / 1_000));
    const args = ['-c', SCRIPT, 'bedrock-guard', String(session), String(graceSeconds)];
    try {
      this.#shell = spawn('/bin/sh', args, { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
    } catch {
      // The command runs already, and must not end for want of a guard.
      return;
    }
    this.#shell.unref();
    // A guard that cannot be started, or was killed, must not end the command.
    this.#shell.on('error', () => undefined);
    this.#shell.stdin?.on('error', () => undefined);
  }

  /** All processes have ended. */
  dismiss(): void {
    this.#shell?.stdin?.end('ended\n');
  }
}
