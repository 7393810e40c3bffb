import type { IRequestOp } from 'etcd3';
import type { EtcdPlace } from './etcd-place.js';
import type { SessionGround } from './etcd-session.js';

/** Places that are removed by one transaction: etcd allows 128 operations. */
const MOST_PLACES = 100;

interface Leaving {
  readonly place: EtcdPlace;
  readonly resolve: (isRemoved: boolean) => void;
  readonly reject: (error: unknown) => void;
}

/** Removes places of this process: those of one turn in one transaction, and each only if it is the one that is meant. */
export class Removal {
  #leaving: Leaving[] = [];

  constructor(private readonly ground: SessionGround) {}

  /** True when this call did. @throws BackendUnavailableError */
  remove(place: EtcdPlace): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.#leaving.push({ place, resolve, reject });
      if (this.#leaving.length === 1) this.ground.clock.afterPoll(() => this.#flush());
    });
  }

  #flush(): void {
    const leaving = this.#leaving;
    this.#leaving = [];
    for (let at = 0; at < leaving.length; at += MOST_PLACES)
      void this.#send(leaving.slice(at, at + MOST_PLACES));
  }

  async #send(batch: readonly Leaving[]): Promise<void> {
    const { link } = this.ground;
    try {
      const success = batch.map(({ place }): IRequestOp => ({ request_txn: removalOf(place) }));
      const { responses } = await link.txn({ success }, link.deadline());
      for (const [i, { resolve }] of batch.entries()) resolve(responses[i]!.response_txn.succeeded);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
}

/** Removes a place, and not another one that was made under its key since. */
export function removalOf({ key, created }: EtcdPlace): NonNullable<IRequestOp['request_txn']> {
  return {
    compare: [{ key, target: 'Create', result: 'Equal', create_revision: created }],
    success: [{ request_delete_range: { key } }],
  };
}
