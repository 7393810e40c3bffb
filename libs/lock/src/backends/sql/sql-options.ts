import { checkClock, checkWhole } from '../../core/checks.js';
import { systemClock, type Clock } from '../../core/clock.js';
import { InvalidOptionError } from '../../core/errors.js';
import { checkText } from '../../core/key.js';

/** Settings that all databases share. */
export interface SqlOptions {
  /** Shown as the label of the holder. */
  readonly label?: string;
  /** Bound on every call, in ms; `ready()` waits five times as long. @default 1000 */
  readonly operationTimeoutMs?: number;
  /**
   * Longest lease, in ms. @default 300000; of session locks 30000: the server keeps those of a lost
   * connection for so long
   */
  readonly maxLeaseMs?: number;
  /** Connections for statements, opened when they are needed. @default 4 */
  readonly connections?: number;
  /**
   * The row of a lock stays this long after its last use in this process, in ms. A caller that uses
   * the lock again finds the row and need not make it. @default 10000
   */
  readonly keepRowsMs?: number;
  /** What the names of the tables begin with: letters, digits and `_`. @default 'bedrock_' */
  readonly tablePrefix?: string;
  /** @default the system clock */
  readonly clock?: Clock;
}

/** The checked options. */
export interface SqlSettings {
  readonly label: string | undefined;
  readonly operationTimeoutMs: number;
  readonly maxLeaseMs: number;
  readonly connections: number;
  readonly keepRowsMs: number;
  readonly tablePrefix: string;
  readonly clock: Clock;
}

export const SQL_FIELDS: readonly (keyof SqlOptions)[] = [
  'label', 'operationTimeoutMs', 'maxLeaseMs', 'connections', 'keepRowsMs', 'tablePrefix', 'clock',
]; // prettier-ignore
/** Default of `maxLeaseMs` for locks of a session, in ms: the server keeps those of a lost connection for so long. */
export const DEFAULT_MAX_SESSION_LEASE_MS = 30_000;
/** Shortest lease, in ms: below it, a round trip to the database takes too much of the lease. */
export const MIN_LEASE_MS = 50;
const MAX_PREFIX_LENGTH = 30;
const MAX_MS = 2 ** 31 - 1;

/** @param longestLeaseMs the default of `maxLeaseMs` @throws InvalidOptionError naming the field */
export function resolveSqlOptions(options: SqlOptions, defaultMaxLeaseMs = 300_000): SqlSettings {
  const { label, clock = systemClock, tablePrefix = 'bedrock_' } = options;
  const { operationTimeoutMs = 1_000, connections = 4, keepRowsMs = 10_000 } = options;
  const { maxLeaseMs = defaultMaxLeaseMs } = options;
  if (label !== undefined) checkText('label', label);
  return {
    label,
    operationTimeoutMs: checkWhole('operationTimeoutMs', operationTimeoutMs, 10, 60_000),
    maxLeaseMs: checkWhole('maxLeaseMs', maxLeaseMs, MIN_LEASE_MS, MAX_MS),
    connections: checkWhole('connections', connections, 1, 1_000),
    keepRowsMs: checkWhole('keepRowsMs', keepRowsMs, 10, MAX_MS),
    tablePrefix: checkIdentifier('tablePrefix', tablePrefix, MAX_PREFIX_LENGTH),
    clock: checkClock('clock', clock),
  };
}

/** A name that needs no care in SQL, though it is quoted all the same. @throws InvalidOptionError */
export function checkIdentifier(field: string, value: unknown, maxLength: number): string {
  if (typeof value !== 'string' || value.length > maxLength || !/^[A-Za-z_][A-Za-z0-9_]*$/.test(value)) {
    const requirement = `1 to ${maxLength} letters, digits and _, not beginning with a digit`;
    throw new InvalidOptionError(field, requirement, value);
  }
  return value;
}
