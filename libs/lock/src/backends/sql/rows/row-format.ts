import type { LockRow } from './lock-row.js';

/** A grant in a row. */
export interface RowGrant {
  readonly id: string;
  readonly mode: 'exclusive' | 'shared';
  readonly units: number;
  readonly untilUs: number;
  readonly depth: number;
  readonly revoked: boolean;
}

/** A waiter in the queue of a row. */
export interface RowWaiter {
  /** The process for claims in any order; the claim for fifo. */
  readonly key: string;
  readonly processId: string;
  readonly units: number;
  readonly capacity: number;
  /** Its last sign. */
  readonly seenUs: number;
}

/** A grant as it is written: id, 1 for exclusive, units, end in µs, depth, 1 for revoked. */
type StoredRowGrant = readonly [string, 0 | 1, number, number, number, 0 | 1];

/** A waiter as written. Statements read `k` and `s`: its key and its last sign of life. */
interface StoredRowWaiter {
  readonly k: string;
  readonly p: string;
  readonly s: number;
  readonly u: number;
  readonly c: number;
}

/** All grants of a row, whether they have ended or not. */
export function grantsFrom(row: LockRow | undefined): RowGrant[] {
  if (row === undefined) return [];
  if (row.crowd !== null) return (JSON.parse(row.crowd) as StoredRowGrant[]).map(grantFrom);
  const { holder: id, units, untilUs, depth, revoked } = row;
  return id === '' ? [] : [{ id, mode: 'exclusive', units, untilUs, depth, revoked }];
}

/** The whole queue of a row, the dead included. */
export function waitersFrom(row: LockRow | undefined): RowWaiter[] {
  if (row === undefined || row.line === null) return [];
  return (JSON.parse(row.line) as StoredRowWaiter[]).map(({ k, p, s, u, c }) => ({
    ...{ key: k, processId: p, units: u, capacity: c, seenUs: s },
  }));
}

export function encodeGrants(grants: readonly RowGrant[]): string | null {
  if (grants.length === 0) return null;
  return JSON.stringify(
    grants.map(({ id, mode, units, untilUs, depth, revoked }) => [
      ...[id, mode === 'exclusive' ? 1 : 0, units, untilUs, depth, revoked ? 1 : 0],
    ]),
  );
}

export function encodeWaiters(waiters: readonly RowWaiter[]): string | null {
  if (waiters.length === 0) return null;
  return JSON.stringify(
    waiters.map(({ key, processId, seenUs, units, capacity }) => ({
      ...{ k: key, p: processId, s: seenUs, u: units, c: capacity },
    })),
  );
}

function grantFrom([id, isExclusive, units, untilUs, depth, isRevoked]: StoredRowGrant): RowGrant {
  const mode = isExclusive === 1 ? 'exclusive' : 'shared';
  return { id, mode, units, untilUs, depth, revoked: isRevoked === 1 };
}
