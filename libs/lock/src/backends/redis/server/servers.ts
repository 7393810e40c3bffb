import type { CounterDriver, LeaseDriver, PermitDriver, RecordDriver } from '../../../core/ports/ports.js';
import type { RedisSettings } from '../configuration/redis-options.js';

/** The server or the cluster behind a backend. */
export interface Servers {
  readonly leases: LeaseDriver;
  readonly counters: CounterDriver;
  readonly permits: PermitDriver;
  readonly records: RecordDriver;
  /** Requests sent so far. */
  readonly commands: number;
  /** Starts to connect, unless it has. */
  start(): void;
  /** @throws BackendUnavailableError after `ms`, and at once when a server answered that it will not serve */
  whenReady(ms: number): Promise<void>;
  /** Asks for a sign of life. @throws BackendUnavailableError */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** Whose servers they are. */
export interface RedisServerDeps {
  readonly settings: RedisSettings;
  readonly processId: string;
  /** Grants on a resource, or on all without one, should be verified now. */
  readonly onSuspect: (resource: string | undefined) => void;
  /** A connection for commands serves, to a server of this run: '' without `restartGuard`. */
  readonly onServing?: (run: string) => void;
}
