import type { RunServers } from './server/run-servers.js';

/** External settings of an application of the proving ground. */
export interface AppSettings {
  readonly servers: RunServers;
  readonly leaseMs: number;
  /** Shown as the holder of a lock: the number of the process. */
  readonly label?: string;
}
