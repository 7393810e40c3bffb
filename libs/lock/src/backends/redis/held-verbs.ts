import type { HeldRef, RenewOutcome, WithdrawOptions, WithdrawOutcome } from '../../core/claim.js';
import type { ResourceKeys } from './keys.js';
import { ANNOTATE, RENEW, WITHDRAW } from './script.js';
import type { BatchItem, BatchVerb } from './script-batch.js';
import { name, NO, word, YES } from './wire.js';

export interface WithdrawItem extends BatchItem<WithdrawOutcome> {
  readonly id: string;
  readonly keys: ResourceKeys;
  readonly options: WithdrawOptions;
}

export const WITHDRAW_VERB: BatchVerb<WithdrawItem> = {
  script: WITHDRAW,
  itemsPerCall: 32,
  answersFrom: 0,
  encode(items) {
    let text = word(items.length * 3);
    for (const { keys } of items) text += keys.wire;
    for (const { id, options } of items) {
      text += `${word(id)}${word(Math.ceil(options.keepMs))}${options.leaveQueue ? YES : NO}`;
    }
    return { text, count: 1 + items.length * 6 };
  },
  settle: (item, answer) => item.resolve(answer === 1 ? 'released' : 'absent'),
};

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
