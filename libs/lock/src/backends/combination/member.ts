import type { Clock, Timer } from '../../core/clock.js';
import { BackendUnavailableError } from '../../core/errors.js';
import type { NodeChange, NodeView } from '../../core/ports/node.js';
import type { Backend, LockNode, NodeOptions } from '../../core/ports/ports.js';
import { Withdrawals } from '../../runtime/withdrawals.js';
import type { CombinationTerms } from './combination-options.js';

/** Who is told about the life of a member. */
export interface MemberHouse {
  readonly terms: CombinationTerms;
  readonly processId: string;
  /** The member with whom this one shares a server, if there is one. */
  twinOf(member: Member): Member | undefined;
  changed(change: NodeChange): void;
}

/** Why a node is not asked: a hint for skipping, never a vote. */
interface Mark {
  /** Epoch ms and monotonic ms. */
  readonly since: { readonly wall: number; readonly at: number };
  /** Until when it grants nothing. */
  quarantine: { readonly wall: number; readonly at: number } | undefined;
}

/** One node of a combination, and what this process knows about it. */
export class Member {
  readonly node: LockNode;
  /** Gives back what must not stay there: until it is confirmed or over. */
  readonly withdrawals: Withdrawals;
  /** Names the run of the server that the connection leads to; '' before the first. */
  run = '';
  #mark: Mark | undefined;
  #lastError: Error | undefined;
  #lastLatencyMs: number | undefined;
  #probe: Timer | undefined;
  #pauseMs: number;
  #isClosed = false;

  constructor(
    backend: Backend,
    private readonly house: MemberHouse,
  ) {
    const { clock, nodeTimeoutMs, maxLeaseMs, coldStart, probe } = house.terms;
    const terms: NodeOptions = {
      processId: house.processId,
      clock,
      operationTimeoutMs: nodeTimeoutMs,
      maxLeaseMs,
      coldStart,
      onServing: (run) => this.#serves(run),
    };
    this.node = backend.asNode!(terms);
    this.withdrawals = new Withdrawals(clock, this.node.leases, nodeTimeoutMs);
    this.#pauseMs = probe.firstMs;
  }

  get id(): string {
    return this.node.id;
  }

  get now(): number {
    return this.#clock.now();
  }

  /** Both ways lead to one run of one server. */
  isTwinOf(other: Member): boolean {
    return this.run !== '' && this.run === other.run && this !== other;
  }

  get isAvailable(): boolean {
    return this.#mark === undefined;
  }

  get view(): NodeView {
    const { since, quarantine } = this.#mark ?? {};
    return {
      id: this.id,
      isAvailable: this.isAvailable,
      ...(since !== undefined && { unavailableSince: since.wall }),
      ...(quarantine !== undefined && { quarantinedUntil: quarantine.wall }),
      ...(this.#lastError !== undefined && { lastError: this.#lastError }),
      ...(this.#lastLatencyMs !== undefined && { lastLatencyMs: this.#lastLatencyMs }),
    };
  }

  /** How long it grants nothing yet, in ms; undefined when nothing is known of that. */
  get quarantineMs(): number | undefined {
    const quarantine = this.#mark?.quarantine;
    return quarantine && Math.max(0, quarantine.at - this.#clock.now());
  }

  /** Why the node is not available, for people. */
  get trouble(): string {
    const error = this.#lastError;
    if (error === undefined) return `${this.id}: no answer`;
    return `${this.id}: ${error instanceof BackendUnavailableError ? error.detail : error.message}`;
  }

  /** It has answered what was sent at this local instant. @param isVerdict on a claim, so it grants to somebody */
  answered(sentAt: number, isVerdict = false): void {
    this.#lastLatencyMs = this.#clock.now() - sentAt;
    if (isVerdict) this.#pauseMs = this.house.terms.probe.firstMs;
    if (isVerdict || !(this.#isQuarantined || this.#refuses)) this.#unmark();
  }

  /** It did not answer, or would not grant to anybody. */
  failed(error: Error): void {
    if (this.#isClosed) return;
    this.#lastError = error;
    const clock = this.#clock;
    const forMs = error instanceof BackendUnavailableError ? error.retryInMs : undefined;
    const isNew = this.#mark === undefined;
    const now = { wall: clock.wall(), at: clock.now() };
    this.#mark ??= { since: now, quarantine: undefined };
    const isQuarantine = forMs !== undefined && this.#mark.quarantine === undefined;
    if (forMs !== undefined) this.#mark.quarantine = { wall: now.wall + forMs, at: now.at + forMs };
    if (isNew || isQuarantine) this.#probeAfter(forMs ?? this.#takePauseMs());
    if (isQuarantine) this.house.changed({ kind: 'quarantined', node: this.id, forMs });
    else if (isNew) this.house.changed({ kind: 'unavailable', node: this.id, error });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#probe !== undefined) this.#clock.clearTimer(this.#probe);
    this.#probe = undefined;
    await this.node.close();
  }

  get #clock(): Clock {
    return this.house.terms.clock;
  }

  #serves(run: string): void {
    this.run = run;
    const twin = this.house.twinOf(this);
    if (twin !== undefined) {
      this.failed(new Error(`it is the same server as ${twin.id}`));
    } else if (!this.#isQuarantined) {
      this.#unmark();
    }
  }

  /** It would not grant: that it renews or takes back does not say more of that. */
  get #refuses(): boolean {
    return this.#lastError instanceof BackendUnavailableError && this.#lastError.executed === 'no';
  }

  get #isQuarantined(): boolean {
    return (this.quarantineMs ?? 0) > 0;
  }

  #unmark(): void {
    if (this.#mark === undefined || this.#isClosed || this.house.twinOf(this) !== undefined) return;
    const awayMs = this.#clock.now() - this.#mark.since.at;
    this.#mark = undefined;
    if (this.#probe !== undefined) this.#clock.clearTimer(this.#probe);
    this.#probe = undefined;
    this.house.changed({ kind: 'available', node: this.id, awayMs });
  }

  #probeAfter(ms: number): void {
    if (this.#probe !== undefined) this.#clock.clearTimer(this.#probe);
    this.#probe = this.#clock.setTimer(() => {
      this.#probe = undefined;
      void this.#ask();
    }, ms);
  }

  async #ask(): Promise<void> {
    try {
      await this.node.ping();
      // That it lives does not say that it grants: only a verdict makes the next pause short again.
      if (!this.#isQuarantined) this.#unmark();
    } catch (error) {
      this.#lastError = error as Error;
    }
    if (this.#mark === undefined || this.#isClosed) return;
    this.#probeAfter(this.#isQuarantined ? this.quarantineMs! : this.#takePauseMs());
  }

  #takePauseMs(): number {
    const pauseMs = this.#pauseMs;
    this.#pauseMs = Math.min(pauseMs * 2, this.house.terms.probe.lastMs);
    return pauseMs;
  }
}
