import type { LibraryName } from '../libraries/catalogue.js';
import type { OpenLockOptions } from '../libraries/open-lock.js';
import type { RoleName } from '../roles/roles.js';

/** The task of a contender. */
export interface Assignment {
  readonly role: RoleName;
  readonly library: LibraryName;
  readonly terms: OpenLockOptions;
  /** Parameters of the role: how many tasks, for how long. */
  readonly order: unknown;
}

/** Messages from the bench to a contender. */
export type ToContender =
  | { readonly kind: 'begin'; readonly assignment: Assignment }
  | { readonly kind: 'word'; readonly word: unknown };

/** Messages from a contender to the bench. */
export type FromContender =
  | { readonly kind: 'word'; readonly word: unknown }
  | { readonly kind: 'account'; readonly account: unknown }
  | { readonly kind: 'failed'; readonly reason: string };
