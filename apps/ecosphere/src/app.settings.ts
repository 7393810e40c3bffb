import type { Ground } from './server/ground.js';

/** What an application of the proving ground is told from outside. */
export interface AppSettings {
  readonly ground: Ground;
  readonly leaseMs: number;
  /** Shown as the holder of a lock; the number of the process. */
  readonly label?: string;
}
