import type { JointVerdict } from '../../../core/claim.js';
import type { ClaimVerb, WiredClaim } from './claim-verb.js';
import type { Script } from '../protocol/script.js';
import type { BatchItem, BatchVerb } from '../protocol/script-batch.js';
import type { ScriptInput } from '../protocol/wire.js';

/** Several claims that are granted together. */
export interface JointClaimItem extends BatchItem<JointVerdict> {
  readonly claims: readonly WiredClaim[];
}

/** `claimAll` on the wire: asked as claims are, and answered once for all of them. */
export class JointClaimVerb implements BatchVerb<JointClaimItem> {
  readonly itemsPerCall = 1;
  readonly answersFrom = 1;

  constructor(
    readonly script: Script,
    private readonly claims: ClaimVerb,
  ) {}

  encode(items: readonly JointClaimItem[], sentAt: number): ScriptInput {
    return this.claims.encode(items[0]!.claims, sentAt);
  }

  learn(reply: readonly unknown[], sentAt: number): void {
    this.claims.learn(reply, sentAt);
  }

  isGrant(answer: unknown): boolean {
    return Array.isArray(answer) && answer[0] === 1;
  }

  settle({ claims, resolve }: JointClaimItem, answer: unknown): void {
    if (!Array.isArray(answer)) return resolve({ kind: 'stale' });
    const [isGranted, ...rest] = answer as [0 | 1, ...unknown[]];
    if (isGranted === 1) return resolve({ kind: 'granted', tokens: rest as number[] });
    const [item, ttl, id] = rest as [number, number, Buffer?];
    const { resource } = claims[item - 1]!;
    const holder = id && this.claims.holderView(id.toString(), ttl);
    resolve({ kind: 'refused', resource, ...(holder && { holder }) });
  }
}
