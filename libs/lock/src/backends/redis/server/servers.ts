import type { CounterDriver, LeaseDriver, PermitDriver, RecordDriver } from '../../../core/ports/ports.js';
import type { ProcessEntry } from '../../../core/ports/admin.js';
import type { LockNames } from '../../kit/named-admin.js';
import type { RedisSettings } from '../configuration/redis-options.js';

/** The server or the cluster behind a backend. */
export interface Servers {
  readonly leases: LeaseDriver;
  readonly counters: CounterDriver;
  readonly permits: PermitDriver;
  readonly records: RecordDriver;
  readonly lockNames: LockNames;
  /** Requests sent so far. */
  readonly commands: number;
  /** All processes that have announced themselves. @throws BackendUnavailableError */
  processes(): Promise<readonly ProcessEntry[]>;
  /** Starts to connect, unless started already. */
  start(): void;
  /** @throws BackendUnavailableError after `ms`, or at once if a server refuses for good */
  whenReady(ms: number): Promise<void>;
  /** Checks that the servers answer. @throws BackendUnavailableError */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** Dependencies of a server or a cluster. */
export interface RedisServerDeps {
  readonly settings: RedisSettings;
  readonly processId: string;
  /** Grants on a resource should be verified now; without one, all grants. */
  readonly onSuspect: (resource: string | undefined) => void;
  /** A command connection serves. `run` is the run id of its server: '' without `restartGuard`. */
  readonly onServing?: (run: string) => void;
}
