import type { IRequestOp } from 'etcd3';
import { afterMicrotasks } from '../../../../runtime/after-microtasks.js';
import type { EtcdPlace } from './etcd-place.js';
import type { SessionGround } from '../session/etcd-session.js';

/** Places that are removed by one transaction: etcd allows 128 operations. */
const MOST_PLACES = 100;

interface Leaving {
  readonly place: EtcdPlace;
  readonly resolve: (isRemoved: boolean) => void;
  readonly reject: (error: unknown) => void;
}

/** Removes places of this process, those of one turn in one request. No other place is ever made under the key of one. */
export class Removal {
  #leaving: Leaving[] = [];
  #sending = 0;
  readonly #flush = (): void => {
    const leaving = this.#leaving;
    this.#leaving = [];
    for (let at = 0; at < leaving.length; at += MOST_PLACES)
      void this.#send(leaving.slice(at, at + MOST_PLACES));
  };

  constructor(private readonly ground: SessionGround) {}

  /** True when this call did. @throws BackendUnavailableError */
  remove(place: EtcdPlace): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.#leaving.push({ place, resolve, reject });
      if (this.#leaving.length > 1) return;
      // Whoever leaves alone does not wait for others; where some are under way, more may come with what is read now.
      if (this.#sending === 0) afterMicrotasks(this.#flush);
      else this.ground.clock.afterPoll(this.#flush);
    });
  }

  async #send(batch: readonly Leaving[]): Promise<void> {
    this.#sending += 1;
    try {
      const removed = await this.#removed(batch.map(({ place }) => place));
      for (const [i, { resolve }] of batch.entries()) resolve(removed[i]!);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    } finally {
      this.#sending -= 1;
    }
  }

  /** Which of them are removed by this. */
  async #removed(places: readonly EtcdPlace[]): Promise<boolean[]> {
    const { link } = this.ground;
    const each = places.map(({ key }) => ({ key }));
    const [only] = each;
    if (each.length === 1) return [(await link.remove(only!, link.deadline())).deleted === '1'];
    const success = each.map((range): IRequestOp => ({ request_delete_range: range }));
    const { responses } = await link.txn({ success }, link.deadline());
    return responses.map(({ response_delete_range: { deleted } }) => deleted === '1');
  }
}
