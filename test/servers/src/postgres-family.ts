import { readdirSync, readFileSync } from 'node:fs';
import type { RunningServer } from './running-server.js';

/**
 * A server that serves each connection in a process of its own: a freeze must reach them all, and an end must not wait for the
 * clients to leave, as SIGTERM does.
 */
export function asFamily(server: RunningServer): RunningServer {
  const signalAll = (signal: NodeJS.Signals): void => {
    server.kill(signal);
    for (const pid of childrenOf(server.pid)) tell(pid, signal);
  };
  const hurry = (): void => {
    signalAll('SIGCONT');
    server.kill('SIGINT');
  };
  return {
    url: server.url,
    host: server.host,
    port: server.port,
    source: server.source,
    get pid() {
      return server.pid;
    },
    kill: (signal) => server.kill(signal),
    stop: async () => (hurry(), server.stop()),
    restart: async () => (hurry(), server.restart()),
    pause: () => signalAll('SIGSTOP'),
    resume: () => signalAll('SIGCONT'),
  };
}

function childrenOf(parent: number | undefined): number[] {
  if (parent === undefined) return [];
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger);
  return pids.filter((pid) => parentOf(pid) === parent);
}

/** `pid (name) state ppid …`; the name may contain anything. Undefined for a process that is gone. */
function parentOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return undefined;
  }
}

/** What serves a connection may be gone at any time. */
function tell(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
