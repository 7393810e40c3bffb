import type { ClaimView, Shape } from '../../../core/claim.js';
import type { LeaseBatches } from './lease-batches.js';

/** How one kind of lock is written on Redis, behind the same verbs: its keys, scripts and channels. */
export interface LockProtocol {
  /** Whether claims of this shape are of this kind. */
  supports(shape: Shape): boolean;
  readonly batches: LeaseBatches;
  /** Where others say that the resource may be free, beside the channel of the process. */
  channels(resource: string): readonly string[];
  /** Where others wake one claim, by its number: channels that begin with this, and end with the number. */
  claimChannelPrefix?(resource: string): string | undefined;
  inspect(resource: string): Promise<readonly ClaimView[]>;
  revoke(resource: string, how: 'atExpiry' | 'now'): Promise<boolean>;
}
