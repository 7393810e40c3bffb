import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';

/** In the environment of a command: which guard it has. */
const MARK = 'BEDROCK_RUN';

/**
 * Waits for two lines on its input: the session, and the word that it has ended. When the input ends before, the process that
 * holds the lock has died: all groups of the session with a living process are asked to end, and killed after the grace.
 * Without the first line, the session is that of a process with the mark, which a starting command may get a moment later.
 * Without /proc nothing is found by the mark, and of the session the first group alone is known.
 */
const SCRIPT = `
  trap '' TERM INT HUP
  exec 2>/dev/null
  left=$1 mark=$2
  groups() {
    [ -r /proc/self/stat ] || { kill -0 "-$session" && echo "$session"; return; }
    for file in /proc/[0-9]*/stat; do
      read -r stat <"$file" || continue
      set -- \${stat##*) }
      [ "$4" = "$session" ] && [ "$1" != Z ] && echo "$3"
    done
  }
  marked() {
    for file in $(grep -ls "${MARK}=$mark" /proc/[0-9]*/environ); do
      read -r stat <"\${file%environ}stat" || continue
      set -- \${stat##*) }
      echo "$4" && return
    done
  }
  send() { for group in $(groups); do kill "-$1" "-$group"; done; }
  read -r session || for _ in 1 2 3; do session=$(marked) && [ -n "$session" ] && break; sleep 1; done
  [ "$session" -gt 0 ] || exit
  read -r _ && exit
  send TERM
  while [ "$left" -gt 0 ] && [ -n "$(groups)" ]; do sleep 1 || exit; left=$((left - 1)); done
  send KILL`;

/**
 * Ends a command when this process is killed, since nothing renews the lock of the command then. It is a shell in a session of
 * its own, so that what kills this process does not reach it. It starts before the command: on a busy machine, a command may
 * run for long before this process goes on.
 */
export class OrphanGuard {
  /** For the environment of the command: by it the guard finds a command whose session it was not given. */
  readonly mark: Readonly<Record<string, string>>;
  readonly #shell: ChildProcess | undefined;

  /** @param graceMs from the request to end until the processes are killed */
  constructor(graceMs: number) {
    const graceSeconds = Math.max(1, Math.ceil(graceMs / 1_000));
    const id = randomUUID();
    this.mark = { [MARK]: id };
    const args = ['-c', SCRIPT, 'bedrock-guard', String(graceSeconds), id];
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
