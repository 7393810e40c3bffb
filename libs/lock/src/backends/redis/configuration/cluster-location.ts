import type { LinkFactory } from '../connection/link.js';
import type { Address, NatMap } from './slot-map.js';

/** Where a cluster is found. */
export interface ClusterLocation {
  readonly seeds: readonly Address[];
  readonly natMap: NatMap | undefined;
  /** To any of its servers. */
  readonly links: LinkFactory;
}
