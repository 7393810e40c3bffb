import { spawn, type ChildProcess } from 'node:child_process';

/**
 * Waits for two lines on its input: the session, and the word that it has ended. When the input ends after the first, the
 * process that holds the lock has died: all groups of the session with a living process are asked to end, and killed after the
 * grace. Without /proc that is the first group alone.
 */
const SCRIPT = `
  trap '' TERM INT HUP
  exec 2>/dev/null
  read -r session && [ "$session" -gt 0 ] || exit
  read -r _ && exit
  left=$1
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
 * its own, so that what kills this process does not reach it. It starts before the command: on a busy machine, a command may
 * run for long before this process goes on.
 */
export class OrphanGuard {
  readonly #shell: ChildProcess | undefined;

  /** @param graceMs from the request to end until the processes are killed */
  constructor(graceMs: number) {
    const graceSeconds = Math.max(1, Math.ceil(graceMs / 1_000));
    const args = ['-c', SCRIPT, 'bedrock-guard', String(graceSeconds)];
    try {
      this.#shell = spawn('/bin/sh', args, { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
    } catch {
      // The command runs without a guard rather than not at all.
      return;
    }
    this.#shell.unref();
    // A guard that cannot be started, or was killed, must not end the command.
    this.#shell.on('error', () => undefined);
    this.#shell.stdin?.on('error', () => undefined);
  }

  /** The command has started. */
  watch(session: number): void {
    this.#shell?.stdin?.write(`${session}\n`);
  }

  /** All processes have ended, or none was started. */
  dismiss(): void {
    this.#shell?.stdin?.end('ended\n');
  }
}
