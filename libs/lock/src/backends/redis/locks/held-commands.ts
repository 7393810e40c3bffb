import type { HeldRef, RenewOutcome, WithdrawOptions, WithdrawOutcome } from '../../../core/claim.js';
import type { LockScripts } from './claim-command.js';
import type { LockKeys, TokenSource } from '../protocol/keys.js';
import { ANNOTATE, RENEW, type Script } from '../protocol/script.js';
import { BatchCommand, type BatchItem } from '../protocol/batch-command.js';
import type { RedisConnection } from '../connection/redis-connection.js';
import { encodeText, NO, encodeAscii, YES, type ScriptInput } from '../protocol/resp-encoding.js';

export interface WithdrawItem extends BatchItem<WithdrawOutcome> {
  readonly id: string;
  readonly keys: LockKeys;
  readonly options: WithdrawOptions;
}

/** `withdraw` on the wire. */
export class WithdrawCommand extends BatchCommand<WithdrawItem> {
  readonly script: Script;
  readonly itemsPerCall = 16;

  readonly #keysOfItem: number;

  constructor(
    connection: RedisConnection,
    { withdraw, keysOfItem }: LockScripts,
    private readonly tokens: TokenSource,
  ) {
    super(connection);
    this.script = withdraw;
    this.#keysOfItem = keysOfItem + (tokens.isPerLock ? 1 : 0);
  }

  encode(items: readonly WithdrawItem[]): ScriptInput {
    const keys = 1 + items.length * this.#keysOfItem;
    let text = encodeAscii(keys) + this.tokens.sharedCounter(items[0]!.resource);
    for (const { keys: own } of items)
      text += this.tokens.isPerLock ? own.encoded + encodeText(own.token) : own.encoded;
    for (const { id, options } of items) {
      text += `${encodeAscii(id)}${encodeAscii(Math.ceil(options.keepMs))}${options.leaveQueue ? YES : NO}`;
    }
    return { text, count: 1 + keys + items.length * 3 };
  }

  protected settle(item: WithdrawItem, answer: unknown): void {
    item.resolve(answer === 1 ? 'released' : 'absent');
  }
}

export interface RenewItem extends BatchItem<RenewOutcome> {
  readonly held: HeldRef;
}

/** `renew` on the wire, of a lock hash. */
export class RenewCommand extends BatchCommand<RenewItem> {
  readonly script: Script = RENEW;
  readonly itemsPerCall = 256;

  encode(items: readonly RenewItem[]): ScriptInput {
    let text = encodeAscii(items.length);
    for (const { held } of items) text += encodeText(held.resource);
    for (const { held } of items)
      text += encodeAscii(held.id) + encodeAscii(Math.ceil(Math.max(held.leaseMs, held.keepMs)));
    return { text, count: 1 + items.length * 3 };
  }

  protected settle(item: RenewItem, answer: unknown): void {
    item.resolve(answer === 1 ? 'renewed' : answer === 2 ? 'revoked' : 'lost');
  }
}

export interface AnnotateItem extends BatchItem<never> {
  readonly id: string;
  readonly depth: number;
}

/** `annotate` on the wire. */
export class AnnotateCommand extends BatchCommand<AnnotateItem> {
  readonly itemsPerCall = 128;

  constructor(
    connection: RedisConnection,
    readonly script: Script = ANNOTATE,
  ) {
    super(connection);
  }

  encode(items: readonly AnnotateItem[]): ScriptInput {
    let text = encodeAscii(items.length);
    for (const { resource } of items) text += encodeText(resource);
    for (const { id, depth } of items) text += encodeAscii(id) + encodeAscii(depth);
    return { text, count: 1 + items.length * 3 };
  }

  protected settle(): void {
    // The depth is for operators alone.
  }
}
