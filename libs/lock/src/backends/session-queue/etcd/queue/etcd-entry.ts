import { Buffer } from 'node:buffer';
import type { IKeyValue } from 'etcd3';
import type { ProcessView } from '../../../../core/claim.js';
import { BackendUnavailableError, LockTypeMismatchError } from '../../../../core/errors.js';
import type { EntryDetails, EnqueueRequest } from '../../queue-store.js';
import { BACKEND } from '../connection/failures.js';

/** Greater numbers of changes leave no room for the tokens that are made of them. */
const MAX_REVISION = 2 ** 44;

/** An entry as written: the facts that other processes need, in few bytes. */
interface StoredEntry {
  readonly id: string;
  readonly mode: 'exclusive' | 'shared';
  readonly units: number;
  readonly of: number;
  readonly ms: number;
  readonly depth: number;
  readonly by: ProcessView;
  readonly revoked?: boolean;
  /** The change that gave it its rank, where it was replaced since. */
  readonly rank?: number;
  /** Its turn among those that were made by the same change. */
  readonly turn?: number;
}

/** The answer to an entry's creation contains the entry itself, so its last encoding is cached. */
let lastEncoded: { readonly value: Buffer; readonly stored: StoredEntry } | undefined;

/** An entry as read, with the metadata of its key. */
export interface EtcdEntry extends EntryDetails {
  readonly key: Buffer;
  readonly createRevision: string;
  readonly modRevision: string;
  readonly leaseId: string;
  readonly rank: number;
  readonly turn: number;
  /** The number of the last change when it was read. */
  readonly readRevision: number;
}

export function entryFrom(resource: string, kv: IKeyValue, readRevision: number): EtcdEntry {
  const { id, mode, units, of, ms, depth, by, revoked, rank, turn } = parseEntry(resource, kv.value);
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
    location: `${kv.key.toString()}@${kv.create_revision}`,
    key: kv.key,
    createRevision: kv.create_revision,
    modRevision: kv.mod_revision,
    leaseId: kv.lease,
    rank: rank ?? Number(kv.create_revision),
    turn: turn ?? 0,
    readRevision,
  };
}

/** The first in the queue first. */
export function queueFrom(resource: string, kvs: readonly IKeyValue[], readRevision: number): EtcdEntry[] {
  return kvs
    .map((kv) => entryFrom(resource, kv, readRevision))
    .sort((a, b) => a.rank - b.rank || a.turn - b.turn);
}

/**
 * Fields of an entry beyond the request: its rank, and values taken over from the entry that it
 * replaces.
 */
export type CarriedFields = Partial<Pick<StoredEntry, 'rank' | 'turn' | 'depth' | 'revoked'>>;

export function encodeEntry(
  { claimId, shape, leaseMs }: EnqueueRequest,
  by: ProcessView,
  carried: CarriedFields,
): Buffer {
  const { mode, units, capacity } = shape;
  const { depth = 1, revoked, rank, turn } = carried;
  const stored = { id: claimId, mode, units, of: capacity, ms: leaseMs, depth, by, revoked, rank, turn };
  // Undefined fields are not written.
  const value = encode(stored as StoredEntry);
  lastEncoded = { value, stored: stored as StoredEntry };
  return value;
}

/** The written data of an entry, with some fields changed. */
export function encodeChangedEntry(
  resource: string,
  value: Buffer,
  change: Partial<Pick<StoredEntry, 'depth' | 'revoked'>>,
): Buffer {
  return encode({ ...parseEntry(resource, value), ...change });
}

/** @throws BackendUnavailableError when it is too great for a token */
export function revisionOf(header: { readonly revision: string }): number {
  const revision = Number(header.revision);
  if (revision > 0 && revision <= MAX_REVISION) return revision;
  throw new BackendUnavailableError(
    BACKEND,
    `its revision, ${revision}, is too great for a token`,
    'unknown',
  );
}

function parseEntry(resource: string, value: Buffer): StoredEntry {
  if (lastEncoded?.value.equals(value) === true) return lastEncoded.stored;
  try {
    const stored = JSON.parse(value.toString()) as StoredEntry;
    if (typeof stored.id === 'string' && Number.isInteger(stored.units)) return stored;
  } catch {
    // Reported below.
  }
  throw new LockTypeMismatchError(resource, 'a key that is not a queue entry');
}

function encode(stored: StoredEntry): Buffer {
  return Buffer.from(JSON.stringify(stored));
}
