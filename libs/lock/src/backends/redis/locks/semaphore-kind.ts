import type { Claim, ClaimView, Shape } from '../../../core/claim.js';
import { READERS } from '../../../core/claim.js';
import type { HashScripts } from './claim-verb.js';
import { RENEW_VERB, type RenewItem } from './held-verbs.js';
import { ownTag, processOf, type KeyRing, type LockKeys } from '../protocol/keys.js';
import type { LeaseBatches } from './lease-batches.js';
import type { ProcessRows } from '../presence/process-rows.js';
import { UNITS_CLAIM, UNITS_INSPECT, UNITS_RENEW, UNITS_REVOKE, UNITS_WITHDRAW } from '../protocol/script.js';
import type { BatchVerb } from '../protocol/script-batch.js';
import { name, word } from '../protocol/wire.js';
import type { AskScript } from '../protocol/ask-script.js';
import type { LockKind } from './lock-kind.js';

/** The names that belong to a semaphore: what is held, its line, what the line asks for, and the ends of the leases. */
export class SemaphoreKeys implements LockKeys {
  readonly wire: string;
  /** Permits have no tokens. */
  readonly token = '';

  constructor(private readonly resource: string) {
    this.wire = this.all.map(name).join('');
  }

  get all(): readonly string[] {
    const tag = ownTag(this.resource);
    return [
      `bedrock_units${tag}`,
      `bedrock_units_order${tag}`,
      `bedrock_units_asks${tag}`,
      `bedrock_units_ends${tag}`,
    ];
  }
}

export const SEMAPHORE_SCRIPTS: HashScripts = {
  claim: UNITS_CLAIM,
  withdraw: UNITS_WITHDRAW,
  keysOfItem: 4,
  wants: ({ shape }: Claim) => `${shape.units} ${shape.capacity}`,
};

/** `renew` of permits on the wire. */
export function semaphoreRenewal(ring: KeyRing<SemaphoreKeys>): BatchVerb<RenewItem> {
  return {
    ...RENEW_VERB,
    script: UNITS_RENEW,
    encode(items) {
      const keys = items.length * SEMAPHORE_SCRIPTS.keysOfItem;
      let text = word(keys);
      for (const { resource } of items) text += ring.of(resource).wire;
      for (const { held } of items)
        text += word(held.id) + word(Math.ceil(Math.max(held.leaseMs, held.keepMs)));
      return { text, count: 1 + keys + items.length * 2 };
    },
  };
}

/** Permits of Bedrock's own semaphore, which no other library knows. */
export class SemaphoreKind implements LockKind {
  constructor(
    readonly batches: LeaseBatches,
    private readonly rows: ProcessRows,
    private readonly ask: AskScript,
  ) {}

  speaks({ mode, capacity, order }: Shape): boolean {
    return mode === 'shared' && capacity < READERS && order === 'any';
  }

  /** Whoever waits stands in line, and is told on the channel of its process. */
  channels(): readonly string[] {
    return [];
  }

  async inspect(resource: string): Promise<readonly ClaimView[]> {
    const { all } = new SemaphoreKeys(resource);
    const reply = (await this.ask(UNITS_INSPECT, resource, all)) as (string | number)[];
    const views: ClaimView[] = [];
    for (let at = 0; at < reply.length; at += 3) {
      const [id, remainingMs, held] = reply.slice(at) as [string, number, string];
      const [units, mark] = held.split(' ');
      views.push({
        id,
        resource,
        mode: 'shared',
        units: Number(units),
        depth: 1,
        revoked: mark !== undefined,
        remainingMs,
      });
    }
    return this.#withProcesses(views);
  }

  async revoke(resource: string, how: 'atExpiry' | 'now'): Promise<boolean> {
    return (await this.ask(UNITS_REVOKE, resource, new SemaphoreKeys(resource).all, how)) === 1;
  }

  /** A process may hold many: each is looked up once. */
  async #withProcesses(views: readonly ClaimView[]): Promise<readonly ClaimView[]> {
    const ids = [...new Set(views.map(({ id }) => processOf(id)))];
    const found = await Promise.all(ids.map((id) => this.rows.find(id)));
    const processes = new Map(ids.map((id, i) => [id, found[i]]));
    return views.map((view) => {
      const process = processes.get(processOf(view.id));
      return process === undefined ? view : { ...view, process };
    });
  }
}
