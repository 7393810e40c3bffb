import { checkFields, checkTime } from '../checks.js';
import { MAX_TIMER_MS } from '../clock.js';
import { resolveLockSettings, type LockOptions, type LockSettings } from './options.js';
import type { Traits } from '../ports/ports.js';

/** Options of a leader election. */
export interface LeaderElectionOptions extends Pick<LockOptions, 'leaseMs' | 'renewAt' | 'fencing'> {
  /** Pause before a process stands again after a term that it gave up, in ms: the others' chance. @default 1000 */
  readonly restMs?: number;
}

/** The resolved, checked and frozen options of a leader election. */
export interface ElectionSettings {
  /** Those of the mutex that the leader holds. */
  readonly lock: LockSettings;
  readonly restMs: number;
}

const FIELDS: ReadonlySet<string> = new Set<keyof LeaderElectionOptions>([
  'leaseMs', 'renewAt', 'fencing', 'restMs',
]); // prettier-ignore

/**
 * Checks and completes the options; `defaults` are those of the Bedrock. @throws
 * InvalidOptionError, UnsupportedByBackendError
 */
export function resolveElectionSettings(
  options: LeaderElectionOptions,
  defaults: LockOptions,
  traits: Traits,
  backend: string,
): ElectionSettings {
  checkFields('options', options, FIELDS);
  const {
    leaseMs = defaults.leaseMs,
    renewAt = defaults.renewAt,
    fencing = defaults.fencing,
    restMs = 1_000,
  } = options;
  const lock: LockOptions = {
    ...(leaseMs !== undefined && { leaseMs }),
    ...(renewAt !== undefined && { renewAt }),
    ...(fencing !== undefined && { fencing }),
    // A candidate waits until it is elected, and a leader leads until it is stopped.
    waitMs: Infinity,
  };
  return Object.freeze({
    lock: resolveLockSettings(lock, traits, backend),
    restMs: checkTime('restMs', restMs, 0, MAX_TIMER_MS),
  });
}
