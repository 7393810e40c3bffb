import type { ClaimView, Shape } from '../../../core/claim.js';
import type { LeaseBatches } from './lease-batches.js';

/**
 * The format of one kind of lock on Redis, behind the same verbs: its keys, scripts and channels.
 */
export interface LockProtocol {
  /** Whether this kind serves claims of this shape. */
  supports(shape: Shape): boolean;
  readonly batches: LeaseBatches;
  /**
   * Where other clients announce that the resource may be free, beside the channel of the process.
   */
  channels(resource: string): readonly string[];
  /**
   * Where other clients wake one claim: the name of its channel is this prefix and the claim's
   * number.
   */
  claimChannelPrefix?(resource: string): string | undefined;
  inspect(resource: string): Promise<readonly ClaimView[]>;
  /** @param holder the claim id of the only grant that is meant */
  revoke(resource: string, how: 'atExpiry' | 'now', holder?: string): Promise<boolean>;
}

/** What the scripts of `revoke` take: how, and whose grant is the only one that is meant. */
export function revocation(how: 'atExpiry' | 'now', holder: string | undefined): readonly string[] {
  return holder === undefined ? [how] : [how, holder];
}
