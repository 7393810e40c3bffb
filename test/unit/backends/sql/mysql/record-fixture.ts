import type { Backend, Clock } from 'bedrock-lock';
import type { RecordDriver, RecordStart } from 'bedrock-lock/backend';
import { systemClock } from 'bedrock-lock/integration';
import type { RunningServer } from 'bedrock-servers';

export interface RecordOptions {
  readonly url?: string;
  readonly clock?: Clock;
  readonly connections?: number;
  readonly operationTimeoutMs?: number;
}

/** A database that keeps records, as far as the promises below need it. Times are µs by its clock. */
export interface RecordFixture {
  readonly server: RunningServer;
  /** A module of plain JavaScript with `backendOf(url, options)`: for other processes. */
  readonly module: string;
  /** A backend that serves, closed after each test. */
  backend(options?: RecordOptions): Promise<Backend>;
  /** When the row ends; undefined where there is none. */
  untilUs(resource: string): Promise<number | undefined>;
  nowUs(): Promise<number>;
  /** A row of this owner, without a value, that ends so much later than now (earlier, if it is negative). */
  put(resource: string, owner: string, lifeMs: number): Promise<void>;
  /** Rows whose names begin so. */
  count(prefix: string): Promise<number>;
  /** Locks the row in a transaction, and gives what changes its end (by its owner or another one) and commits. */
  holdRow(resource: string): Promise<(change: { lifeMs: number; owner: string }) => Promise<void>>;
  /** Statements of the backends that wait for a row now. */
  waitingForRows(): Promise<number>;
  /** Lets the observer of the tables come back after the server did. */
  observeAgain(): Promise<void>;
}

/** Long enough for all that a test does. */
export const LEASE_MS = 10_000;
/** The minute between two sweeps is over at once. */
export const SOON: Clock = {
  ...systemClock,
  setTimer: (callback, ms) => systemClock.setTimer(callback, ms >= 60_000 ? 30 : ms),
};

let names = 0;

export function freshName(): string {
  return `records:${++names}`;
}

export function start(resource: string, owner: string, leaseMs = LEASE_MS): RecordStart {
  return { resource, owner, leaseMs, fingerprint: 'f', notAfter: Infinity };
}

export async function recordsOf(backend: Promise<Backend>): Promise<RecordDriver> {
  return (await backend).records!;
}
