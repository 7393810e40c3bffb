import type { ProcessView, Shape } from '../../core/claim.js';

/** What a claim asks a line for. */
export interface PlaceTerms {
  readonly resource: string;
  readonly claimId: string;
  readonly shape: Shape;
  readonly leaseMs: number;
}

/** One place in the line of a resource, as every process reads it. */
export interface Place {
  readonly resource: string;
  readonly claimId: string;
  readonly mode: Shape['mode'];
  readonly units: number;
  readonly capacity: number;
  /** The lease that it was asked for with, in ms. */
  readonly leaseMs: number;
  /** Where the server has it: the path of a node, a key. A place that is moved is somewhere else then. */
  readonly at: string;
}

/** A place of this process; it ends with its session. */
export interface OwnPlace extends Place {
  readonly session: LineSession;
}

/**
 * What keeps the places of this process alive on the server. Requests of one session are executed in their order, so what is
 * read after a request whose reply was lost tells whether it was executed.
 */
export interface LineSession {
  /** Longest lease, in ms, that the server keeps a place for after the last proven contact, with a third to spare. */
  readonly coversMs: number;
  /** It has ended on the server, and so have its places. */
  readonly isLost: boolean;
}

/** A place that was just made. */
export interface Entered {
  readonly place: OwnPlace;
  /** The line after that, the first in line first. */
  readonly line: readonly Place[];
  /**
   * Number of the change that made the place; undefined where the line may have changed between that and the reading, so
   * that a later holder may have been given a greater one already.
   */
  readonly stamp: number | undefined;
}

/** Whether a place stands. Only `there` and `revoked` are worth something: the server's majority has answered. */
export type Standing =
  /** `stamp`: the number of a change that was made after the question was sent. */
  | { readonly kind: 'there'; readonly stamp: number }
  | { readonly kind: 'revoked' }
  | { readonly kind: 'gone' }
  /** No answer. */
  | { readonly kind: 'unknown' };

/** What a place says about its holder. */
export interface PlaceDetails extends Place {
  readonly depth: number;
  readonly revoked: boolean;
  readonly process?: ProcessView;
}

/** What a store tells without being asked. */
export interface LineNews {
  /** Places of this session have ended. */
  lost(session: LineSession): void;
  /** There is contact again after there was none: watches may have missed something. */
  regained(): void;
  /** A place of this process that is guarded was changed or removed by somebody else, perhaps. */
  touched(resource: string): void;
}

/**
 * An engine that keeps an ordered line per resource: numbers of changes only grow, over all resources and restarts. No verb
 * waits for another holder; each settles within the time-out of one operation.
 * @throws BackendUnavailableError where there is no answer (`executed` is 'unknown' where it may have acted), and where the
 * server's numbers are too great for a token; LockTypeMismatchError where the line holds something else
 */
export interface LineStore {
  /** The session for leases of this length, opened on first use and kept. @throws when the server grants no such session */
  session(leaseMs: number): Promise<LineSession>;
  /** Makes a new place at the end of the line, and reads the line, in one trip. */
  enter(terms: PlaceTerms, session: LineSession): Promise<Entered>;
  /** The line, the first in line first. @param session after all requests of this one */
  read(resource: string, session?: LineSession): Promise<readonly Place[]>;
  /** Writes, and tells which places stand, in their order; one trip for each session. Never rejects. */
  confirm(places: readonly OwnPlace[]): Promise<readonly Standing[]>;
  /**
   * Puts another place where this one is, in one step: of another session, claim, lease or with fewer units. Undefined when
   * it is gone.
   */
  move(place: OwnPlace, terms: PlaceTerms, session: LineSession): Promise<OwnPlace | undefined>;
  /** Makes so many changes, so that the numbers of later ones are greater by that much. */
  skip(changes: number, session: LineSession): Promise<void>;
  /** Removes a place, of whomever. True when this call did. */
  remove(place: Place): Promise<boolean>;
  /** Calls back once, when this place is gone or moved, or may be; soon when it is gone already. Never throws. */
  whenGone(place: Place, wake: () => void): void;
  /** From now on `touched` tells when this place is changed or removed. Never throws. */
  guard(place: OwnPlace): void;
  /** Refuses renewals to a place. False when it is gone. */
  revoke(place: Place): Promise<boolean>;
  /** Writes the depth down, unless the place is gone. Never throws. */
  note(place: OwnPlace, depth: number): void;
  details(resource: string): Promise<readonly PlaceDetails[]>;
  /** No place of this process is left in this line: what stays of an empty line may be removed. Never throws. */
  forget(resource: string): void;
  /** Round trip to the server's majority. */
  ping(): Promise<void>;
  /** Ends all sessions, and with them all places of this process. Never throws. */
  close(): Promise<void>;
}
