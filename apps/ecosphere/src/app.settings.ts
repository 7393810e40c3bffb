import type { RunServers } from './server/run-servers.js';

/** What an application of the proving ground is told from outside. */
export interface AppSettings {
  readonly servers: RunServers;
  readonly leaseMs: number;
  /** Shown as the holder of a lock; the number of the process. */
  readonly label?: string;
}
