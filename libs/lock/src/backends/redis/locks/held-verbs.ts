import type { HeldRef, RenewOutcome, WithdrawOptions, WithdrawOutcome } from '../../../core/claim.js';
import type { HashScripts } from './claim-verb.js';
import type { LockKeys, TokenSource } from '../protocol/keys.js';
import { ANNOTATE, RENEW, type Script } from '../protocol/script.js';
import type { BatchItem, BatchVerb } from '../protocol/script-batch.js';
import { name, NO, word, YES, type ScriptInput } from '../protocol/wire.js';

export interface WithdrawItem extends BatchItem<WithdrawOutcome> {
  readonly id: string;
  readonly keys: LockKeys;
  readonly options: WithdrawOptions;
}

/** `withdraw` on the wire. */
export class WithdrawVerb implements BatchVerb<WithdrawItem> {
  readonly script: Script;
  readonly itemsPerCall = 16;
  readonly answersFrom = 0;

  readonly #keysOfItem: number;

  constructor(
    { withdraw, keysOfItem }: HashScripts,
    private readonly tokens: TokenSource,
  ) {
    this.script = withdraw;
    this.#keysOfItem = keysOfItem + (tokens.isOwn ? 1 : 0);
  }

  encode(items: readonly WithdrawItem[]): ScriptInput {
    const keys = 1 + items.length * this.#keysOfItem;
    let text = word(keys) + this.tokens.shared(items[0]!.resource);
    for (const { keys: own } of items) text += this.tokens.isOwn ? own.wire + name(own.token) : own.wire;
    for (const { id, options } of items) {
      text += `${word(id)}${word(Math.ceil(options.keepMs))}${options.leaveQueue ? YES : NO}`;
    }
    return { text, count: 1 + keys + items.length * 3 };
  }

  settle(item: WithdrawItem, answer: unknown): void {
    item.resolve(answer === 1 ? 'released' : 'absent');
  }
}

export interface RenewItem extends BatchItem<RenewOutcome> {
  readonly held: HeldRef;
}

export const RENEW_VERB: BatchVerb<RenewItem> = {
  script: RENEW,
  itemsPerCall: 256,
  answersFrom: 0,
  encode(items) {
    let text = word(items.length);
    for (const { held } of items) text += name(held.resource);
    for (const { held } of items)
      text += word(held.id) + word(Math.ceil(Math.max(held.leaseMs, held.keepMs)));
    return { text, count: 1 + items.length * 3 };
  },
  settle: (item, answer) => item.resolve(answer === 1 ? 'renewed' : answer === 2 ? 'revoked' : 'lost'),
};

export interface NoteItem extends BatchItem<never> {
  readonly id: string;
  readonly depth: number;
}

export const ANNOTATE_VERB: BatchVerb<NoteItem> = {
  script: ANNOTATE,
  itemsPerCall: 128,
  answersFrom: 0,
  encode(items) {
    let text = word(items.length);
    for (const { resource } of items) text += name(resource);
    for (const { id, depth } of items) text += word(id) + word(depth);
    return { text, count: 1 + items.length * 3 };
  },
  settle: () => undefined,
};
