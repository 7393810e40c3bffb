import type { JointVerdict } from '../../../core/claim.js';
import type { ClaimCommand, ClaimCommandDeps, ClaimWithKeys } from './claim-command.js';
import type { Script } from '../protocol/script.js';
import { BatchCommand, type BatchItem } from '../protocol/batch-command.js';
import type { ScriptInput } from '../protocol/resp-encoding.js';

/** Several claims that are granted together or not at all. */
export interface JointClaimItem extends BatchItem<JointVerdict> {
  readonly claims: readonly ClaimWithKeys[];
}

/** `claimAll` on the wire: encoded like single claims, with one answer for all. */
export class JointClaimCommand extends BatchCommand<JointClaimItem> {
  readonly itemsPerCall = 1;
  override readonly firstAnswerIndex = 1;

  constructor(
    readonly script: Script,
    private readonly claims: ClaimCommand,
    { connection, acks }: Pick<ClaimCommandDeps, 'connection' | 'acks'>,
  ) {
    super(connection, acks);
  }

  encode(items: readonly JointClaimItem[], sentAt: number): ScriptInput {
    return this.claims.encode(items[0]!.claims, sentAt);
  }

  override onReply(reply: readonly unknown[], sentAt: number): void {
    this.claims.onReply(reply, sentAt);
  }

  protected override isGrant(answer: unknown): boolean {
    return Array.isArray(answer) && answer[0] === 1;
  }

  protected settle({ claims, resolve }: JointClaimItem, answer: unknown): void {
    if (!Array.isArray(answer)) return resolve({ kind: 'stale' });
    const [isGranted, ...rest] = answer as [0 | 1, ...unknown[]];
    if (isGranted === 1) return resolve({ kind: 'granted', tokens: rest as number[] });
    const [item, ttl, id] = rest as [number, number, Buffer?];
    const { resource } = claims[item - 1]!;
    const holder = id && this.claims.holderView(id.toString(), ttl);
    resolve({ kind: 'refused', resource, ...(holder && { holder }) });
  }
}
