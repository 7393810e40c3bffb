import type { IRequestOp } from 'etcd3';
import { afterMicrotasks, OncePerTurn } from '../../../../runtime/after-microtasks.js';
import type { EtcdEntry } from './etcd-entry.js';
import type { EtcdSessionDeps } from '../session/etcd-session.js';

/** Entries that are removed by one transaction: etcd allows 128 operations. */
const MAX_ENTRIES = 100;

interface PendingDelete {
  readonly entry: EtcdEntry;
  readonly resolve: (isRemoved: boolean) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Removes entries of this process, those of one turn in one request. No other entry is ever made
 * under the key of one.
 */
export class DeleteBatcher {
  #pending: PendingDelete[] = [];
  #sending = 0;
  readonly #batch = new OncePerTurn(
    () => this.#flush(),
    // A lone delete does not wait for others; with requests in flight, more may come with the current read.
    (flush) => (this.#sending === 0 ? afterMicrotasks(flush) : this.deps.clock.afterPoll(flush)),
  );

  constructor(private readonly deps: EtcdSessionDeps) {}

  /** True when this call did. @throws BackendUnavailableError */
  remove(entry: EtcdEntry): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.#pending.push({ entry, resolve, reject });
      this.#batch.schedule();
    });
  }

  #flush(): void {
    const pending = this.#pending;
    this.#pending = [];
    for (let at = 0; at < pending.length; at += MAX_ENTRIES)
      void this.#send(pending.slice(at, at + MAX_ENTRIES));
  }

  async #send(batch: readonly PendingDelete[]): Promise<void> {
    this.#sending += 1;
    try {
      const removed = await this.#removed(batch.map(({ entry }) => entry));
      for (const [i, { resolve }] of batch.entries()) resolve(removed[i]!);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    } finally {
      this.#sending -= 1;
    }
  }

  /** Which of them are removed by this. */
  async #removed(entries: readonly EtcdEntry[]): Promise<boolean[]> {
    const { link } = this.deps;
    const each = entries.map(({ key }) => ({ key }));
    const [only] = each;
    if (each.length === 1) return [(await link.remove(only!, link.deadline())).deleted === '1'];
    const success = each.map((range): IRequestOp => ({ request_delete_range: range }));
    const { responses } = await link.txn({ success }, link.deadline());
    return responses.map(({ response_delete_range: { deleted } }) => deleted === '1');
  }
}
