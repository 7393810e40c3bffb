import type { RunServers } from './server/run-servers.js';

/** External settings of an application of the proving ground. */
export interface AppSettings {
  readonly servers: RunServers;
  readonly leaseMs: number;
  /** Shown as the holder of a lock: the number of the process. */
  readonly label?: string;
  /** The port of its metrics on 127.0.0.1, 0 for any free one. @default none are served */
  readonly metricsPort?: number;
}
