import { childrenOf, freeze, signalIfThere } from './processes.js';
import type { RunningServer } from './running-server.js';

/**
 * A server that serves each connection in a process of its own: a freeze must reach them all, and an end must not wait for the
 * clients to leave, as SIGTERM does.
 */
export function asFamily(server: RunningServer): RunningServer {
  const family = (): number[] => (server.pid === undefined ? [] : [server.pid, ...childrenOf(server.pid)]);
  const signalAll = (signal: NodeJS.Signals): void => {
    for (const pid of family()) signalIfThere(pid, signal);
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
    pause: () => {
      // It makes no more children once it stands still itself.
      server.pause();
      freeze(family());
    },
    resume: () => signalAll('SIGCONT'),
  };
}
