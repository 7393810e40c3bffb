import type { ICompare } from 'etcd3';
import type { ProcessView } from '../../../../core/claim.js';
import { afterMicrotasks } from '../../../../runtime/after-microtasks.js';
import { InFlight } from '../../../../runtime/in-flight.js';
import type { Entered, PlaceTerms } from '../../line-store.js';
import { lineOf, newWriting, revisionOf, type EtcdPlace } from './etcd-place.js';
import type { EtcdSession, SessionGround } from '../session/etcd-session.js';
import { notDone } from '../connection/failures.js';

/** Claims in one transaction, with a put and a range each at most: etcd allows 128 operations. */
const MOST_CLAIMS = 50;

interface Entry {
  readonly terms: PlaceTerms;
  readonly session: EtcdSession;
  readonly resolve: (entered: Entered) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Where the claims of this process enter their lines: those of one turn go together, in one transaction. Requests that are
 * sent at the same time are executed in any order, so whoever comes to a line that some are entering goes after them.
 */
export class Entrance {
  #entries: Entry[] = [];
  /** Lines that some are entering now. */
  readonly #busy = new Set<string>();
  #isPlanned = false;
  readonly #go = (): void => {
    this.#isPlanned = false;
    for (let batch = this.#take(); batch.length > 0; batch = this.#take()) void this.#send(batch);
  };
  readonly #underWay = new InFlight();

  constructor(
    private readonly ground: SessionGround,
    private readonly process: ProcessView,
  ) {}

  enter(terms: PlaceTerms, session: EtcdSession): Promise<Entered> {
    const round = this.#underWay.begin();
    return new Promise<Entered>((resolve, reject) => {
      this.#entries.push({
        terms,
        session,
        resolve: (entered) => (round.end(), resolve(entered)),
        reject: (error) => (round.end(), reject(error)),
      });
      this.#plan();
    });
  }

  /** Resolves when everybody who came before has an answer. Never rejects. */
  whenAnswered(): Promise<void> {
    return this.#underWay.whenSettled();
  }

  #plan(): void {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    // Whoever comes alone goes with those of this turn; where some are under way, more may come with what is read now.
    if (this.#busy.size === 0) afterMicrotasks(this.#go);
    else this.ground.clock.afterPoll(this.#go);
  }

  /** The first who may go, and those behind who may go with them, in their order. */
  #take(): Entry[] {
    const batch: Entry[] = [];
    const left: Entry[] = [];
    const taken = new Set(this.#busy);
    for (const entry of this.#entries) {
      const isOfBatch = batch.length === 0 || entry.session === batch[0]!.session;
      const mayGo = isOfBatch && batch.length < MOST_CLAIMS && !taken.has(entry.terms.resource);
      (mayGo ? batch : left).push(entry);
      // Who stays keeps those behind them in their line.
      if (!mayGo) taken.add(entry.terms.resource);
    }
    this.#entries = left;
    return batch;
  }

  async #send(batch: readonly Entry[]): Promise<void> {
    const resources = new Set(batch.map(({ terms }) => terms.resource));
    for (const resource of resources) this.#busy.add(resource);
    try {
      await this.#put(batch, [...resources]);
    } catch (error) {
      for (const { reject } of batch) reject(error as Error);
    }
    for (const resource of resources) this.#busy.delete(resource);
    if (this.#entries.length > 0) this.#plan();
  }

  async #put(batch: readonly Entry[], resources: readonly string[]): Promise<void> {
    const { link, keys } = this.ground;
    const { session } = batch[0]!;
    const until = link.deadline();
    const lines = resources.map((resource) => ({ request_range: keys.line(resource) }));
    const puts = batch.map(({ terms }, turn) => ({
      request_put: {
        key: keys.newPlace(terms.resource, terms.claimId),
        value: newWriting(terms, this.process, { turn }),
        lease: session.leaseId,
      },
    }));
    const areNew = puts.map(({ request_put: { key } }): ICompare => ({
      key,
      target: 'Create',
      result: 'Equal',
      create_revision: 0,
    }));
    const leaseMs = Math.max(...batch.map(({ terms }) => terms.leaseMs));
    const { answer, isCovered } = await session.beside(leaseMs, until, () =>
      session.numbered({ compare: areNew, success: [...puts, ...lines], failure: lines }, until),
    );
    const seen = revisionOf(answer.header);
    const found = answer.responses.slice(-lines.length);
    for (const [i, resource] of resources.entries()) {
      // One that cannot be read is the affair of those who have asked for it.
      const mine = batch.filter(({ terms }) => terms.resource === resource);
      try {
        const line = lineOf(resource, found[i]!.response_range.kvs, seen);
        mine.forEach((entry, turn) => {
          // The number of the change is good for one place of a line: tokens are made of it.
          const stamp = answer.succeeded && isCovered && turn === 0 ? seen : undefined;
          settle(entry, line, stamp);
        });
      } catch (error) {
        for (const { reject } of mine) reject(error as Error);
      }
    }
  }
}

function settle(
  { terms, session, resolve, reject }: Entry,
  line: readonly EtcdPlace[],
  stamp: number | undefined,
): void {
  const { claimId } = terms;
  const own = line.find((place) => place.claimId === claimId && place.leaseId === session.leaseId);
  if (own === undefined) reject(notDone('a place under another id of the same request was there already'));
  // Nobody else has the object. A copy of so many fields costs more than all that is done with it.
  else resolve({ place: Object.assign(own, { session }), line, stamp });
}
