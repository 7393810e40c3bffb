import type { ClaimView, ProcessView, Shape } from '../claim.js';

/** Which locks to list. */
export interface ListRequest {
  /** The beginning of their names; '' for all. */
  readonly prefix: string;
  /** About how many names are read for a page, from 1 to 1,000. Names of free locks count too. */
  readonly limit: number;
  /** The cursor of the page before. @default the first page */
  readonly cursor?: string;
}

/** A lock that is held. */
export interface HeldResource {
  readonly resource: string;
  /** By this, `inspect` and `revoke` find the holders. */
  readonly shape: Shape;
  readonly holders: readonly ClaimView[];
  /** Entries in its queue: one for a waiting process, or for each waiting caller of a fair mutex. */
  readonly waiters: number;
}

/** One page of a list. It may be empty although others follow. */
export interface ListPage {
  readonly resources: readonly HeldResource[];
  /** For the next page; undefined after the last one. */
  readonly cursor?: string;
}

/** A process that uses the backend. */
export interface ProcessEntry extends ProcessView {
  /** The first part of its claim ids. */
  readonly id: string;
}

/**
 * The locks of all processes on the backend, for people who operate it. A list reads the server page by page and pauses for
 * nothing: the caller sets the pace. A lock that is held from before the first page until after the last one is listed, and may be
 * listed more than once.
 * @throws BackendUnavailableError; InvalidOptionError for a wrong request
 */
export interface AdminDriver {
  list(request: ListRequest): Promise<ListPage>;
  /**
   * The kinds of lock that are held under this name; none when it is free.
   * @throws LockTypeMismatchError when the name holds something else
   */
  find(resource: string): Promise<readonly HeldResource[]>;
  /**
   * The processes that have announced themselves within a minute; where none do so, those that hold a lock; none where
   * the server knows sessions alone. Pauses where it has to read many names.
   */
  processes(): Promise<readonly ProcessEntry[]>;
}
