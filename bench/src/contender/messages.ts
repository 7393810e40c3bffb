import type { LibraryName } from '../libraries/catalogue.js';
import type { OpenLockOptions } from '../libraries/open-lock.js';
import type { RoleName } from '../roles/roles.js';

/** What a contender is started for. */
export interface Assignment {
  readonly role: RoleName;
  readonly library: LibraryName;
  readonly terms: OpenLockOptions;
  /** What the role is told: how many tasks, for how long. */
  readonly order: unknown;
}

/** What the bench tells a contender. */
export type ToContender =
  | { readonly kind: 'begin'; readonly assignment: Assignment }
  | { readonly kind: 'word'; readonly word: unknown };

/** What a contender tells the bench. */
export type FromContender =
  | { readonly kind: 'word'; readonly word: unknown }
  | { readonly kind: 'account'; readonly account: unknown }
  | { readonly kind: 'failed'; readonly reason: string };
