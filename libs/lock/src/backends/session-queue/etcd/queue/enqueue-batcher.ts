import type { ICompare } from 'etcd3';
import type { ProcessView } from '../../../../core/claim.js';
import { afterMicrotasks, OncePerTurn } from '../../../../runtime/after-microtasks.js';
import { InFlight } from '../../../../runtime/in-flight.js';
import type { EnqueueResult, EnqueueRequest } from '../../queue-store.js';
import { queueFrom, encodeEntry, revisionOf, type EtcdEntry } from './etcd-entry.js';
import type { EtcdSession, EtcdSessionDeps } from '../session/etcd-session.js';
import { notExecuted } from '../connection/failures.js';

/** Claims in one transaction, with a put and a range each at most: etcd allows 128 operations. */
const MAX_CLAIMS = 50;

interface PendingEnqueue {
  readonly request: EnqueueRequest;
  readonly session: EtcdSession;
  readonly resolve: (result: EnqueueResult) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Enters the claims of this process into their queues: those of one turn share one transaction.
 * Requests that are sent at the same time run in any order. So a later claim on a queue waits for
 * the requests in flight on it.
 */
export class EnqueueBatcher {
  #pending: PendingEnqueue[] = [];
  /** Queues that some are entering now. */
  readonly #busy = new Set<string>();
  readonly #batch = new OncePerTurn(
    () => this.#flush(),
    // A lone caller joins the batch of this turn; with requests in flight, more callers may come with the current read.
    (flush) => (this.#busy.size === 0 ? afterMicrotasks(flush) : this.deps.clock.afterPoll(flush)),
  );
  readonly #inFlight = new InFlight();

  constructor(
    private readonly deps: EtcdSessionDeps,
    private readonly process: ProcessView,
  ) {}

  enqueue(request: EnqueueRequest, session: EtcdSession): Promise<EnqueueResult> {
    const generation = this.#inFlight.begin();
    return new Promise<EnqueueResult>((resolve, reject) => {
      this.#pending.push({
        request,
        session,
        resolve: (result) => (generation.end(), resolve(result)),
        reject: (error) => (generation.end(), reject(error)),
      });
      this.#batch.schedule();
    });
  }

  /** Resolves when every earlier caller has an answer. Never rejects. */
  whenSettled(): Promise<void> {
    return this.#inFlight.whenSettled();
  }

  #flush(): void {
    for (let batch = this.#takeBatch(); batch.length > 0; batch = this.#takeBatch()) void this.#send(batch);
  }

  /** The first who may go, and those behind who may go with them, in their order. */
  #takeBatch(): PendingEnqueue[] {
    const batch: PendingEnqueue[] = [];
    const left: PendingEnqueue[] = [];
    const blocked = new Set(this.#busy);
    for (const pending of this.#pending) {
      const isOfBatch = batch.length === 0 || pending.session === batch[0]!.session;
      const canJoin = isOfBatch && batch.length < MAX_CLAIMS && !blocked.has(pending.request.resource);
      (canJoin ? batch : left).push(pending);
      // A claim that stays blocks the later claims in its queue.
      if (!canJoin) blocked.add(pending.request.resource);
    }
    this.#pending = left;
    return batch;
  }

  async #send(batch: readonly PendingEnqueue[]): Promise<void> {
    const resources = new Set(batch.map(({ request }) => request.resource));
    for (const resource of resources) this.#busy.add(resource);
    try {
      await this.#enqueueAll(batch, [...resources]);
    } catch (error) {
      for (const { reject } of batch) reject(error as Error);
    }
    for (const resource of resources) this.#busy.delete(resource);
    if (this.#pending.length > 0) this.#batch.schedule();
  }

  async #enqueueAll(batch: readonly PendingEnqueue[], resources: readonly string[]): Promise<void> {
    const { link, keys } = this.deps;
    const { session } = batch[0]!;
    const deadline = link.deadline();
    const queueRanges = resources.map((resource) => ({ request_range: keys.queue(resource) }));
    const puts = batch.map(({ request }, turn) => ({
      request_put: {
        key: keys.newEntry(request.resource, request.claimId),
        value: encodeEntry(request, this.process, { turn }),
        lease: session.leaseId,
      },
    }));
    const areNew = puts.map(({ request_put: { key } }): ICompare => ({
      key,
      target: 'Create',
      result: 'Equal',
      create_revision: 0,
    }));
    const leaseMs = Math.max(...batch.map(({ request }) => request.leaseMs));
    const { answer, isCovered } = await session.withKeepAlive(leaseMs, deadline, () =>
      session.fencedTxn(
        { compare: areNew, success: [...puts, ...queueRanges], failure: queueRanges },
        deadline,
      ),
    );
    const readRevision = revisionOf(answer.header);
    const found = answer.responses.slice(-queueRanges.length);
    for (const [i, resource] of resources.entries()) {
      // An unreadable entry fails only the callers that asked for it.
      const mine = batch.filter(({ request }) => request.resource === resource);
      try {
        const queue = queueFrom(resource, found[i]!.response_range.kvs, readRevision);
        mine.forEach((pending, turn) => {
          // The number of the change is good for one entry of a queue: tokens are made of it.
          const revision = answer.succeeded && isCovered && turn === 0 ? readRevision : undefined;
          settleEnqueue(pending, queue, revision);
        });
      } catch (error) {
        for (const { reject } of mine) reject(error as Error);
      }
    }
  }
}

function settleEnqueue(
  { request, session, resolve, reject }: PendingEnqueue,
  queue: readonly EtcdEntry[],
  revision: number | undefined,
): void {
  const { claimId } = request;
  const own = queue.find((entry) => entry.claimId === claimId && entry.leaseId === session.leaseId);
  if (own === undefined)
    reject(notExecuted('a place under another id of the same request was there already'));
  // No other code has the object. A copy of so many fields costs more than all that is done with it.
  else resolve({ entry: Object.assign(own, { session }), queue, revision });
}
