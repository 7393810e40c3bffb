/** Where a server came from. */
export type ServerSource = 'environment' | 'local' | 'testcontainers' | 'debian';

/** A real server that answers, and the handles that a fault test needs. */
export interface RunningServer {
  readonly url: string;
  readonly host: string;
  readonly port: number;
  /** Process id; undefined when the server runs elsewhere, in a container or behind a given URL. */
  readonly pid: number | undefined;
  readonly source: ServerSource;
  /** Ends the server and removes its temporary folder. A second call does nothing. */
  stop(): Promise<void>;
  /** Sends a signal and does not wait, SIGKILL for a crash; `restart()` brings the server back. */
  kill(signal: NodeJS.Signals): void;
  /** Ends the server if it still runs and starts it again on the same port and folder. */
  restart(): Promise<void>;
  /** Freezes the server: connections stay open and nothing is answered. */
  pause(): void;
  resume(): void;
}
