import type { ProcessView, Shape } from '../../core/claim.js';
import type { ListRequest } from '../../core/ports/admin.js';
import type { NamesPage } from '../kit/named-admin.js';

/** What a claim asks a queue for. */
export interface EnqueueRequest {
  readonly resource: string;
  readonly claimId: string;
  readonly shape: Shape;
  readonly leaseMs: number;
}

/** One entry in the queue of a resource, as every process reads it. */
export interface QueueEntry {
  readonly resource: string;
  readonly claimId: string;
  readonly mode: Shape['mode'];
  readonly units: number;
  readonly capacity: number;
  /** The lease that it was asked for with, in ms. */
  readonly leaseMs: number;
  /** Its place on the server: the path of a node, or a key. A replacement has another place. */
  readonly location: string;
}

/** An entry of this process; it ends with its session. */
export interface OwnEntry extends QueueEntry {
  readonly session: QueueSession;
}

/**
 * Keeps the entries of this process alive on the server. Requests of one session are executed in
 * order. So a read after a request without a reply shows whether the request was executed.
 */
export interface QueueSession {
  /** Longest lease, in ms, that the server keeps an entry for after the last proven contact, with a third to spare. */
  readonly maxLeaseMs: number;
  /** It has ended on the server, and so have its entries. */
  readonly isLost: boolean;
}

/** An entry that was just made. */
export interface EnqueueResult {
  readonly entry: OwnEntry;
  /** The queue after that, the first in the queue first. */
  readonly queue: readonly QueueEntry[];
  /**
   * Number of the change that made the entry. Undefined where the queue may have changed between
   * that and the reading: a later holder may have got a greater number already.
   */
  readonly revision: number | undefined;
}

/**
 * Whether an entry is still there. Only `present` and `revoked` are worth something: the server's
 * majority has answered.
 */
export type EntryStatus =
  /** `revision`: the number of a change that was made after the question was sent. */
  | { readonly kind: 'present'; readonly revision: number }
  | { readonly kind: 'revoked' }
  | { readonly kind: 'gone' }
  /** No answer, for this reason. */
  | { readonly kind: 'unknown'; readonly cause?: unknown };

/** What an entry says about its holder. */
export interface EntryDetails extends QueueEntry {
  readonly depth: number;
  readonly revoked: boolean;
  readonly process?: ProcessView;
}

/** What a store tells without being asked. */
export interface QueueStoreListener {
  /** Entries of this session have ended. */
  sessionLost(session: QueueSession): void;
  /** There is contact again after there was none: watches may have missed something. */
  reconnected(): void;
  /** An entry of this process that is watched may have been changed or removed by another process. */
  entryChanged(resource: string): void;
}

/**
 * An engine that keeps an ordered queue per resource. The numbers of changes only grow, over all
 * resources and restarts. No verb waits for another holder; each settles within the time-out of one
 * operation.
 * @throws BackendUnavailableError where there is no answer (`executed` is 'unknown' where it may
 * have acted). Also where the server's numbers are too great for a token. LockTypeMismatchError
 * where the queue holds another type
 */
export interface QueueStore {
  /**
   * The session for leases of this length, opened on first use and kept. @throws when the server
   * grants no such session
   */
  session(leaseMs: number): Promise<QueueSession>;
  /** Makes a new entry at the end of the queue, and reads the queue, in one round trip. */
  enqueue(request: EnqueueRequest, session: QueueSession): Promise<EnqueueResult>;
  /** The queue, the first in the queue first. @param session after all requests of this one */
  read(resource: string, session?: QueueSession): Promise<readonly QueueEntry[]>;
  /** Writes, and returns which entries still exist, in order; one round trip for each session. Never rejects. */
  confirm(entries: readonly OwnEntry[]): Promise<readonly EntryStatus[]>;
  /**
   * Puts another entry where this one is, in one step: of another session, claim, lease or with
   * fewer units. Undefined when it is gone.
   */
  replace(entry: OwnEntry, request: EnqueueRequest, session: QueueSession): Promise<OwnEntry | undefined>;
  /** Makes so many changes, so that the numbers of later ones are greater by that much. */
  advanceRevision(changes: number, session: QueueSession): Promise<void>;
  /** Removes an entry of any process. True when this call did. */
  remove(entry: QueueEntry): Promise<boolean>;
  /** Calls back once, when this entry is gone or replaced, or may be; soon when it is gone already. Never throws. */
  onDeleted(entry: QueueEntry, wake: () => void): void;
  /** From now on `entryChanged` tells when this entry is changed or removed. Never throws. */
  watchOwn(entry: OwnEntry): void;
  /** Refuses renewals to an entry. False when it is gone. */
  revoke(entry: QueueEntry): Promise<boolean>;
  /** Writes the depth down, unless the entry is gone. Never throws. */
  recordDepth(entry: OwnEntry, depth: number): void;
  details(resource: string): Promise<readonly EntryDetails[]>;
  /** Names of queues, which may be empty. @param request checked */
  names(request: ListRequest): Promise<NamesPage>;
  /**
   * This process has no entry left in this queue, so the remains of an empty queue may be removed.
   * Never throws.
   */
  releaseQueue(resource: string): void;
  /** Round trip to the server's majority. */
  ping(): Promise<void>;
  /** Ends all sessions, and with them all entries of this process. Never throws. */
  close(): Promise<void>;
}
