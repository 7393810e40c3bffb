import { READERS, type ClaimRef, type ClaimView, type Shape } from '../../../core/claim.js';
import type { HashScripts } from './claim-verb.js';
import { ANNOTATE_VERB, RENEW_VERB, type NoteItem, type RenewItem } from './held-verbs.js';
import { processOf, ResourceKeys, tagged, type KeyRing } from '../protocol/keys.js';
import type { LeaseBatches } from './lease-batches.js';
import type { ProcessRows } from '../presence/process-rows.js';
import { RW_ANNOTATE, RW_CLAIM, RW_INSPECT, RW_RENEW, RW_REVOKE, RW_WITHDRAW } from '../protocol/script.js';
import type { BatchVerb } from '../protocol/script-batch.js';
import { word } from '../protocol/wire.js';
import type { AskScript } from '../protocol/ask-script.js';
import type { LockKind } from './lock-kind.js';

/** What Redisson puts behind the name of a holder that writes. */
const WRITE = ':write';

/** The field of the hash that stands for a claim. */
function fieldOf({ id, shape }: ClaimRef): string {
  return shape.mode === 'exclusive' ? id + WRITE : id;
}

export const READ_WRITE: HashScripts = {
  claim: RW_CLAIM,
  withdraw: RW_WITHDRAW,
  keysOfItem: 3,
  fieldOf,
};

/** A renewal says whether it reads or writes: a writer that is renewed as a reader reads from then on. */
export function renewVerb(ring: KeyRing<ResourceKeys>): BatchVerb<RenewItem> {
  return {
    ...RENEW_VERB,
    script: RW_RENEW,
    encode(items) {
      let text = word(items.length * READ_WRITE.keysOfItem);
      for (const { resource } of items) text += ring.of(resource).wire;
      for (const { held } of items)
        text += word(fieldOf(held)) + word(Math.ceil(Math.max(held.leaseMs, held.keepMs)));
      return { text, count: 1 + items.length * (READ_WRITE.keysOfItem + 2) };
    },
  };
}

export const NOTE_VERB: BatchVerb<NoteItem> = { ...ANNOTATE_VERB, script: RW_ANNOTATE };

/** A read-write lock, in the format of Redisson's RReadWriteLock, with a line of processes beside it. */
export class ReadWriteKind implements LockKind {
  constructor(
    readonly batches: LeaseBatches,
    private readonly ring: KeyRing<ResourceKeys>,
    private readonly rows: ProcessRows,
    private readonly ask: AskScript,
  ) {}

  speaks({ capacity, order }: Shape): boolean {
    return capacity === READERS && order === 'any';
  }

  channels(resource: string): readonly string[] {
    const tag = tagged(resource);
    // Nothing is published on the second: whoever listens to the first alone is no Bedrock.
    return [`redisson_rwlock:${tag}`, `bedrock_rwlock:${tag}`];
  }

  async inspect(resource: string): Promise<readonly ClaimView[]> {
    const facts = (await this.ask(RW_INSPECT, resource, [resource])) as (string | number)[];
    const views: Promise<ClaimView>[] = [];
    for (let at = 0; at < facts.length; at += 4) {
      const [field, depth, rest, revoked] = facts.slice(at, at + 4) as [string, string, number, 0 | 1];
      views.push(this.#view(resource, field, Number(depth), rest, revoked === 1));
    }
    return Promise.all(views);
  }

  async revoke(resource: string, how: 'atExpiry' | 'now'): Promise<boolean> {
    const { lock, line, asks } = this.ring.of(resource);
    return (await this.ask(RW_REVOKE, resource, [lock, line, asks], how)) === 1;
  }

  async #view(
    resource: string,
    field: string,
    depth: number,
    rest: number,
    revoked: boolean,
  ): Promise<ClaimView> {
    const writes = field.endsWith(WRITE);
    const id = writes ? field.slice(0, -WRITE.length) : field;
    const process = await this.rows.find(processOf(id));
    return {
      id,
      resource,
      mode: writes ? 'exclusive' : 'shared',
      units: writes ? READERS : 1,
      depth,
      revoked,
      remainingMs: rest < 0 ? Infinity : rest,
      ...(process !== undefined && { process }),
    };
  }
}
