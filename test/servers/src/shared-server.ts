import type { RunningServer } from './running-server.js';

/** A server that another process owns. `stop()` leaves it alone; a fault is refused, because others use it. */
export function sharedServer(url: string, defaultPort: number): RunningServer {
  const { hostname, port, host } = new URL(url);
  const refuse = (): never => {
    throw new Error(
      `the server at ${host} is shared: start a server of your own (without shared: true) to break it`,
    );
  };
  return {
    url,
    host: hostname,
    port: port === '' ? defaultPort : Number(port),
    pid: undefined,
    source: 'environment',
    stop: async () => undefined,
    kill: refuse,
    restart: async () => refuse(),
    pause: refuse,
    resume: refuse,
  };
}
