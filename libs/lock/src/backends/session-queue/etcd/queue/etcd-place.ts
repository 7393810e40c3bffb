import { Buffer } from 'node:buffer';
import type { IKeyValue } from 'etcd3';
import type { ProcessView } from '../../../../core/claim.js';
import { BackendUnavailableError, LockTypeMismatchError } from '../../../../core/errors.js';
import type { PlaceDetails, PlaceTerms } from '../../line-store.js';
import { BACKEND } from '../connection/failures.js';

/** Greater numbers of changes leave no room for the tokens that are made of them. */
const MOST_REVISION = 2 ** 44;

/** A place as it is written: what others need to know of it, in few bytes. */
interface Writing {
  readonly id: string;
  readonly mode: 'exclusive' | 'shared';
  readonly units: number;
  readonly of: number;
  readonly ms: number;
  readonly depth: number;
  readonly by: ProcessView;
  readonly revoked?: boolean;
  /** The change that gave it its rank, where it was moved since. */
  readonly rank?: number;
  /** Its turn among those that were made by the same change. */
  readonly turn?: number;
}

/** Whoever enters a line reads in the same answer what it has just written. */
let lastWritten: { readonly value: Buffer; readonly writing: Writing } | undefined;

/** A place that was read, with what etcd says about its key. */
export interface EtcdPlace extends PlaceDetails {
  readonly key: Buffer;
  readonly created: string;
  readonly modified: string;
  readonly leaseId: string;
  readonly rank: number;
  readonly turn: number;
  /** The number of the last change when it was read. */
  readonly seen: number;
}

export function placeOf(resource: string, kv: IKeyValue, seen: number): EtcdPlace {
  const { id, mode, units, of, ms, depth, by, revoked, rank, turn } = writingOf(resource, kv.value);
  return {
    resource,
    claimId: id,
    mode,
    units,
    capacity: of,
    leaseMs: ms,
    depth,
    revoked: revoked === true,
    process: by,
    at: `${kv.key.toString()}@${kv.create_revision}`,
    key: kv.key,
    created: kv.create_revision,
    modified: kv.mod_revision,
    leaseId: kv.lease,
    rank: rank ?? Number(kv.create_revision),
    turn: turn ?? 0,
    seen,
  };
}

/** The first in line first. */
export function lineOf(resource: string, kvs: readonly IKeyValue[], seen: number): EtcdPlace[] {
  return kvs.map((kv) => placeOf(resource, kv, seen)).sort((a, b) => a.rank - b.rank || a.turn - b.turn);
}

/** What a place is beside what was asked for: where it stands, and the marks of one that was there before it. */
export type Standing = Partial<Pick<Writing, 'rank' | 'turn' | 'depth' | 'revoked'>>;

export function newWriting({ claimId, shape, leaseMs }: PlaceTerms, by: ProcessView, more: Standing): Buffer {
  const { mode, units, capacity } = shape;
  const { depth = 1, revoked, rank, turn } = more;
  const writing = { id: claimId, mode, units, of: capacity, ms: leaseMs, depth, by, revoked, rank, turn };
  // What is undefined is not written.
  const value = encode(writing as Writing);
  lastWritten = { value, writing: writing as Writing };
  return value;
}

/** What is written of a place, changed in a part. */
export function changedWriting(
  resource: string,
  value: Buffer,
  change: Partial<Pick<Writing, 'depth' | 'revoked'>>,
): Buffer {
  return encode({ ...writingOf(resource, value), ...change });
}

/** @throws BackendUnavailableError when it is too great for a token */
export function revisionOf(header: { readonly revision: string }): number {
  const revision = Number(header.revision);
  if (revision > 0 && revision <= MOST_REVISION) return revision;
  throw new BackendUnavailableError(
    BACKEND,
    `its revision, ${revision}, is too great for a token`,
    'unknown',
  );
}

function writingOf(resource: string, value: Buffer): Writing {
  if (lastWritten?.value.equals(value) === true) return lastWritten.writing;
  try {
    const writing = JSON.parse(value.toString()) as Writing;
    if (typeof writing.id === 'string' && Number.isInteger(writing.units)) return writing;
  } catch {
    // It is told below.
  }
  throw new LockTypeMismatchError(resource, 'a key that is no place in a line');
}

function encode(writing: Writing): Buffer {
  return Buffer.from(JSON.stringify(writing));
}
