import type { HeldRef, RenewOutcome, WithdrawOptions, WithdrawOutcome } from '../../core/claim.js';
import type { Arg } from './connection.js';
import type { ResourceKeys } from './keys.js';
import { ANNOTATE, RENEW, WITHDRAW } from './script.js';
import type { BatchItem, BatchVerb } from './script-batch.js';

export interface WithdrawItem extends BatchItem<WithdrawOutcome> {
  readonly id: string;
  readonly keys: ResourceKeys;
  readonly options: WithdrawOptions;
}

export function withdrawVerb(processId: string): BatchVerb<WithdrawItem> {
  return {
    script: WITHDRAW,
    itemsPerCall: 32,
    answersFrom: 0,
    encode(items) {
      const args: Arg[] = [WITHDRAW.sha1, items.length * 3];
      for (const { keys } of items) args.push(keys.lock, keys.line, keys.signs);
      args.push(processId);
      for (const { id, options } of items) {
        args.push(id, Math.ceil(options.keepMs), options.leaveQueue ? 1 : 0);
      }
      return args;
    },
    settle: (item, answer) => item.resolve(answer === 1 ? 'released' : 'absent'),
  };
}

export interface RenewItem extends BatchItem<RenewOutcome> {
  readonly held: HeldRef;
}

export const RENEW_VERB: BatchVerb<RenewItem> = {
  script: RENEW,
  itemsPerCall: 256,
  answersFrom: 0,
  encode(items) {
    const args: Arg[] = [RENEW.sha1, items.length];
    for (const { held } of items) args.push(held.resource);
    for (const { held } of items) args.push(held.id, Math.ceil(Math.max(held.leaseMs, held.keepMs)));
    return args;
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
    const args: Arg[] = [ANNOTATE.sha1, items.length];
    for (const { resource } of items) args.push(resource);
    for (const { id, depth } of items) args.push(id, depth);
    return args;
  },
  settle: () => undefined,
};
