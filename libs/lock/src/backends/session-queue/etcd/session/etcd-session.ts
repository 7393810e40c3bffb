import { Buffer } from 'node:buffer';
import type { ICompare, IResponseHeader, IRequestOp, ITxnRequest, ITxnResponse } from 'etcd3';
import type { Clock, Timer } from '../../../../core/clock.js';
import { mayHaveActed } from '../../../../core/unavailable.js';
import { SerialExecutor } from '../../../../runtime/serial-executor.js';
import type { QueueSession } from '../../queue-store.js';
import { EtcdLeaseNotFoundError, notExecuted } from '../connection/failures.js';
import type { EtcdLink } from '../connection/etcd-link.js';
import type { EtcdKeys } from './etcd-keys.js';

/** Width of the number that requests are sent under, so that it grows in the order of its text. */
const WIDTH = 16;
/** A keep-alive that was not answered is sent again after this share of the life of the lease. */
const RETRY_SHARE = 1 / 12;
const HEARTBEATS_PER_TTL = 3;

export interface EtcdSessionDeps {
  readonly link: EtcdLink;
  readonly keys: EtcdKeys;
  readonly clock: Clock;
}

/** What a keep-alive has brought. */
interface KeepAliveReply {
  /** Of the leader that renewed the lease. */
  readonly term: number;
  /** Why it did not. */
  readonly failure?: unknown;
}

/** The term of no answer: older than any. */
const NO_TERM = -1;

/** What a request under the number of its session has brought. */
export interface FencedReply {
  readonly succeeded: boolean;
  readonly header: IResponseHeader;
  /** Answers to the requests of either branch, without those about the session. */
  readonly responses: ITxnResponse['responses'];
}

/**
 * A lease of etcd and the entries on it. Its key holds a number, and every request that makes or
 * replaces an entry is executed under that number alone. Once the number is raised, earlier
 * requests without an answer have no effect any more, whenever they arrive.
 */
export class EtcdSession implements QueueSession {
  isLost = false;
  /** The first change after its key was written. */
  openedAtRevision = 0;
  readonly key: Buffer;
  #number = 1;
  /** Requests that were not answered, so far; those that no longer matter, since the number was raised after them. */
  #unanswered = 0;
  #voided = 0;
  readonly #raises = new SerialExecutor();
  /** The lease lives for `ttlMs` from this instant at least, monotonic ms. */
  #provenAt: number;
  #timer: Timer | undefined;
  /** The keep-alive that is sent at the end of this turn. */
  #nextKeepAlive: Promise<KeepAliveReply> | undefined;

  /** Grants a lease and writes its key. @throws BackendUnavailableError */
  static async open(
    deps: EtcdSessionDeps,
    ttlSeconds: number,
    onLost: (session: EtcdSession) => void,
  ): Promise<EtcdSession> {
    const { link, clock } = deps;
    const deadline = link.deadline();
    const sentAt = clock.now();
    const { ID: leaseId, TTL } = await link.grantLease(ttlSeconds, deadline);
    const session = new EtcdSession(deps, leaseId, Number(TTL) * 1_000, sentAt, onLost);
    try {
      const { key } = session;
      const put = { key, value: numberText(1), lease: leaseId };
      // One of these that comes late, when the number has been raised, must not put it back.
      const isNew: ICompare = { key, target: 'Create', result: 'Equal', create_revision: 0 };
      const reply = await link.txn({ compare: [isNew], success: [{ request_put: put }] }, deadline, true);
      session.openedAtRevision = Number(reply.header.revision) + 1;
    } catch (error) {
      session.end();
      void link.revokeLease(leaseId, link.deadline()).catch(() => undefined);
      throw error instanceof EtcdLeaseNotFoundError ? notExecuted('its lease ended at once', error) : error;
    }
    return session;
  }

  private constructor(
    private readonly deps: EtcdSessionDeps,
    readonly leaseId: string,
    private readonly ttlMs: number,
    provenAt: number,
    private readonly onLost: (session: EtcdSession) => void,
  ) {
    this.key = deps.keys.session(leaseId);
    this.#provenAt = provenAt;
    this.#scheduleHeartbeat(ttlMs / HEARTBEATS_PER_TTL);
  }

  /** The whole life of the lease: where less than that is proven, a keep-alive goes beside the request. */
  get maxLeaseMs(): number {
    return this.ttlMs;
  }

  /** Whether a request that was never answered may still be executed. */
  get hasUnansweredRequests(): boolean {
    return this.#unanswered > this.#voided;
  }

  /** A put that keeps the session's key as it is: a change that the majority agrees on. */
  get touchOp(): IRequestOp {
    return { request_put: { key: this.key, ignore_value: true, ignore_lease: true } };
  }

  /**
   * Executes a transaction under the number of the session. `failure` is done where one of `compare` is false.
   * @throws BackendUnavailableError; `executed` is 'no' when the session has ended
   */
  async fencedTxn(
    { compare = [], success = [], failure = [] }: ITxnRequest,
    deadline: number,
    isRepeatable = false,
  ): Promise<FencedReply> {
    for (;;) {
      this.#assertAlive();
      const number = this.#number;
      const request: ITxnRequest = {
        compare: [this.#numberIs(number), ...compare],
        success,
        failure: [{ request_range: { key: this.key } }, ...failure],
      };
      const reply = await this.#sendTxn(request, deadline, isRepeatable);
      const { succeeded, header, responses } = reply;
      if (succeeded) return { succeeded, header, responses };
      if (this.#adoptNumber(responses, number) === number)
        return { succeeded, header, responses: responses.slice(1) };
    }
  }

  /** Raises the number, and reads in the same step: nothing that was sent before this can be executed after it. */
  raiseNumber(reads: readonly IRequestOp[], deadline: number): Promise<FencedReply> {
    return this.#raises.run(() => this.#raise(reads, deadline));
  }

  /**
   * Runs a request that the majority answers, with a keep-alive beside it where needed. Reports
   * whether the lease is sure to live for `leaseMs`, counted from the sending. A deposed leader
   * that does not know it may answer a keep-alive. That answer is of no use, unless it was still
   * the leader when the request was agreed on: the next leader gives every lease its whole life
   * anew. So the term of the keep-alive must not be older than that of the request.
   */
  async withKeepAlive<T extends { readonly header: IResponseHeader }>(
    leaseMs: number,
    deadline: number,
    request: () => Promise<T>,
  ): Promise<{ readonly answer: T; readonly isCovered: boolean; readonly failure?: unknown }> {
    const sentAt = this.deps.clock.now();
    const isNeeded = !this.#livesUntil(sentAt + leaseMs);
    const keepAlive = isNeeded ? this.#keepAlive(deadline) : undefined;
    const answer = await request();
    if (keepAlive === undefined) return { answer, isCovered: !this.isLost };
    const term = Number(answer.header.raft_term);
    let reply = await keepAlive;
    // By now the members that answer know of the term in which the request was agreed on.
    if (reply.term < term) reply = await this.#keepAlive(deadline);
    if (reply.term >= term) this.#proven(sentAt);
    return { answer, isCovered: this.#livesUntil(sentAt + leaseMs), failure: reply.failure };
  }

  /** Its entries are gone on the server. */
  end(): void {
    if (this.isLost) return;
    this.isLost = true;
    if (this.#timer !== undefined) this.deps.clock.clearTimer(this.#timer);
    this.onLost(this);
  }

  #livesUntil(at: number): boolean {
    return !this.isLost && this.#provenAt + this.ttlMs >= at;
  }

  #proven(at: number): void {
    this.#provenAt = Math.max(this.#provenAt, at);
  }

  #numberIs(number: number): ICompare {
    return { key: this.key, target: 'Value', result: 'Equal', value: numberText(number) };
  }

  async #raise(reads: readonly IRequestOp[], deadline: number): Promise<FencedReply> {
    const unanswered = this.#unanswered;
    for (;;) {
      this.#assertAlive();
      const next = this.#number + 1;
      const put = { key: this.key, value: numberText(next), ignore_lease: true };
      const reply = await this.#sendTxn(
        {
          // One of these that comes late finds a greater number.
          compare: [{ key: this.key, target: 'Value', result: 'Less', value: numberText(next) }],
          success: [{ request_put: put }, ...reads],
          failure: [{ request_range: { key: this.key } }],
        },
        deadline,
      );
      const { succeeded, header, responses } = reply;
      if (succeeded) {
        this.#number = Math.max(this.#number, next);
        this.#voided = Math.max(this.#voided, unanswered);
        return { succeeded, header, responses: responses.slice(1) };
      }
      this.#adoptNumber(responses, next);
    }
  }

  /**
   * Takes over the number that the server has: a raise whose answer was lost has been executed.
   * Answers may be late.
   */
  #adoptNumber([first]: ITxnResponse['responses'], sentUnder: number): number {
    const found = Number(first?.response_range.kvs[0]?.value.toString());
    // Without a key the session is gone, and a server with an older number has lost data.
    if (!(found >= sentUnder)) this.end();
    else this.#number = Math.max(this.#number, found);
    return found;
  }

  async #sendTxn(request: ITxnRequest, deadline: number, isRepeatable = false): Promise<ITxnResponse> {
    try {
      return await this.deps.link.txn(request, deadline, isRepeatable);
    } catch (error) {
      if (error instanceof EtcdLeaseNotFoundError) {
        this.end();
        throw notExecuted('the session has ended', error);
      }
      if (mayHaveActed(error) && !isRepeatable) this.#unanswered += 1;
      throw error;
    }
  }

  /** One keep-alive for all callers of this turn. Never rejects. */
  #keepAlive(deadline: number): Promise<KeepAliveReply> {
    this.#nextKeepAlive ??= new Promise((resolve) => {
      this.deps.clock.afterPoll(() => {
        this.#nextKeepAlive = undefined;
        resolve(this.#sendKeepAlive(deadline));
      });
    });
    return this.#nextKeepAlive;
  }

  async #sendKeepAlive(deadline: number): Promise<KeepAliveReply> {
    try {
      const { TTL, header } = await this.deps.link.keepAlive(this.leaseId, deadline);
      if (Number(TTL) > 0) return { term: Number(header.raft_term) };
      this.end();
      return { term: NO_TERM, failure: notExecuted('the session has ended') };
    } catch (failure) {
      return { term: NO_TERM, failure };
    }
  }

  /**
   * The keeper does not fit: it renews holds in batches, each for a lease of the caller's. The server
   * chose the life of this lease.
   */
  #scheduleHeartbeat(ms: number): void {
    this.#timer = this.deps.clock.setTimer(() => void this.#heartbeat(), ms);
  }

  async #heartbeat(): Promise<void> {
    const { link, clock } = this.deps;
    const read = (): Promise<{ header: IResponseHeader }> =>
      link.range({ key: this.key, count_only: true }, link.deadline());
    const isCovered = await this.withKeepAlive(this.ttlMs, link.deadline(), read).then(
      (beat) => beat.isCovered,
      () => false,
    );
    if (this.isLost) return;
    const dueAt = this.#provenAt + this.ttlMs / HEARTBEATS_PER_TTL;
    this.#scheduleHeartbeat(isCovered ? Math.max(0, dueAt - clock.now()) : this.ttlMs * RETRY_SHARE);
  }

  #assertAlive(): void {
    if (this.isLost) throw notExecuted('the session has ended');
  }
}

function numberText(number: number): Buffer {
  return Buffer.from(String(number).padStart(WIDTH, '0'));
}
