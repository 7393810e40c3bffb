import type { LinkFactory } from '../connection/link.js';
import type { Address, NatMap } from './slot-map.js';

/** How to find and reach a cluster. */
export interface ClusterLocation {
  readonly seeds: readonly Address[];
  readonly natMap: NatMap | undefined;
  /** Makes links to any of its servers. */
  readonly links: LinkFactory;
}
