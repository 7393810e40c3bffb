import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { Socket } from 'node:net';

/** Resources to clean up when this process ends. */
interface Guarded {
  pid: number | undefined;
  readonly dir: string | undefined;
}

export interface Guard {
  /** The process is gone and its number may be given to another: only the folder is guarded from now on. */
  processEnded(): void;
  /** Takes the guard away. */
  release(): void;
}

const guarded = new Set<Guarded>();
let isHooked = false;

const WATCHDOG = `
trap '' INT TERM HUP
pid=$1
while read -r word; do
  case $word in
    ended) pid= ;;
    release) exit ;;
  esac
done
[ -z "$pid" ] || kill -9 "$pid"
[ -z "$2" ] || rm -rf "$2"`;

/**
 * Ends the process `pid` and removes `dir` when this process ends, however it ends. The exit hook covers an
 * orderly end; a shell that waits for its standard input to close covers a SIGKILL, and test runners that
 * hand out a `process` of their own, whose exit event never comes.
 */
export function guard(pid: number, dir: string | undefined): Guard {
  const entry: Guarded = { pid, dir };
  guarded.add(entry);
  if (!isHooked) process.once('exit', () => guarded.forEach(cleanUp));
  isHooked = true;
  const watchdog = spawn('/bin/sh', ['-c', WATCHDOG, 'watchdog', String(pid), dir ?? ''], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  watchdog.on('error', () => undefined);
  watchdog.stdin.on('error', () => undefined);
  watchdog.unref();
  if (watchdog.stdin instanceof Socket) watchdog.stdin.unref();
  return {
    processEnded: () => {
      if (entry.pid !== undefined && guarded.has(entry)) watchdog.stdin.write('ended\n');
      entry.pid = undefined;
    },
    release: () => {
      if (guarded.delete(entry)) watchdog.stdin.end('release\n');
    },
  };
}

function cleanUp({ pid, dir }: Guarded): void {
  try {
    if (pid !== undefined) process.kill(pid, 'SIGKILL');
  } catch {
    // It is gone already.
  }
  if (dir !== undefined) rmSync(dir, { recursive: true, force: true });
}
