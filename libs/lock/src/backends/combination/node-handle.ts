import type { Clock, Timer } from '../../core/clock.js';
import { BackendUnavailableError } from '../../core/errors.js';
import type { NodeChange, NodeView } from '../../core/ports/node.js';
import type { Backend, LockNode, NodeOptions } from '../../core/ports/ports.js';
import { Backoff } from '../../runtime/backoff.js';
import { Withdrawals } from '../../runtime/withdrawals.js';
import type { CombinationSettings } from './combination-options.js';

/** The node set that owns a node and hears about its state. */
export interface NodeOwner {
  readonly settings: CombinationSettings;
  readonly processId: string;
  /** Another node that is the same server as this one, if any. */
  sameServerAs(handle: NodeHandle): NodeHandle | undefined;
  publish(change: NodeChange): void;
}

/** Why a node is not asked: a hint for skipping it, never a vote. */
interface SkipMark {
  /** Epoch ms and monotonic ms. */
  readonly since: { readonly wall: number; readonly at: number };
  /** The node grants nothing until then. */
  quarantine: { readonly wall: number; readonly at: number } | undefined;
}

/** One node of a combination, and what this process knows about it. */
export class NodeHandle {
  readonly node: LockNode;
  /** Repeats withdrawals until the node confirms them or the grants are over. */
  readonly withdrawals: Withdrawals;
  /** Run id of the connected server; '' before the first connection. */
  runId = '';
  #skipMark: SkipMark | undefined;
  #lastError: Error | undefined;
  #lastLatencyMs: number | undefined;
  #probeTimer: Timer | undefined;
  readonly #probePauses: Backoff;
  #isClosed = false;

  constructor(
    backend: Backend,
    private readonly owner: NodeOwner,
  ) {
    const { clock, nodeTimeoutMs, maxLeaseMs, coldStart, probe } = owner.settings;
    const options: NodeOptions = {
      processId: owner.processId,
      clock,
      operationTimeoutMs: nodeTimeoutMs,
      maxLeaseMs,
      coldStart,
      onServing: (runId) => this.#onServing(runId),
    };
    this.node = backend.asNode!(options);
    this.withdrawals = new Withdrawals(clock, this.node.leases, nodeTimeoutMs);
    this.#probePauses = new Backoff({ first: probe.firstMs, longest: probe.lastMs });
  }

  get id(): string {
    return this.node.id;
  }

  get now(): number {
    return this.#clock.now();
  }

  /** Both connections lead to the same run of one server. */
  isSameServerAs(other: NodeHandle): boolean {
    return this.runId !== '' && this.runId === other.runId && this !== other;
  }

  get isAvailable(): boolean {
    return this.#skipMark === undefined;
  }

  get view(): NodeView {
    const { since, quarantine } = this.#skipMark ?? {};
    return {
      id: this.id,
      isAvailable: this.isAvailable,
      ...(since !== undefined && { unavailableSince: since.wall }),
      ...(quarantine !== undefined && { quarantinedUntil: quarantine.wall }),
      ...(this.#lastError !== undefined && { lastError: this.#lastError }),
      ...(this.#lastLatencyMs !== undefined && { lastLatencyMs: this.#lastLatencyMs }),
    };
  }

  /** Remaining time without grants, in ms; undefined when unknown. */
  get quarantineMs(): number | undefined {
    const quarantine = this.#skipMark?.quarantine;
    return quarantine && Math.max(0, quarantine.at - this.#clock.now());
  }

  /** Why the node is unavailable, for error messages. */
  get failureText(): string {
    const error = this.#lastError;
    if (error === undefined) return `${this.id}: no answer`;
    return `${this.id}: ${error instanceof BackendUnavailableError ? error.detail : error.message}`;
  }

  /**
   * Records an answer to a request sent at this local time. @param isVerdict it answered a claim,
   * so the node grants
   */
  recordAnswer(sentAt: number, isVerdict = false): void {
    this.#lastLatencyMs = this.#clock.now() - sentAt;
    if (isVerdict) this.#probePauses.reset();
    if (isVerdict || !(this.#isQuarantined || this.#refusesClaims)) this.#clearMark();
  }

  /** Records that the node did not answer, or refuses all claims. */
  recordFailure(error: Error): void {
    if (this.#isClosed) return;
    this.#lastError = error;
    const clock = this.#clock;
    const forMs = error instanceof BackendUnavailableError ? error.retryInMs : undefined;
    const isNew = this.#skipMark === undefined;
    const now = { wall: clock.wall(), at: clock.now() };
    this.#skipMark ??= { since: now, quarantine: undefined };
    const isQuarantine = forMs !== undefined && this.#skipMark.quarantine === undefined;
    if (forMs !== undefined) this.#skipMark.quarantine = { wall: now.wall + forMs, at: now.at + forMs };
    if (isNew || isQuarantine) this.#scheduleProbe(forMs ?? this.#probePauses.take());
    if (isQuarantine) this.owner.publish({ kind: 'quarantined', node: this.id, forMs });
    else if (isNew) this.owner.publish({ kind: 'unavailable', node: this.id, error });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#probeTimer !== undefined) this.#clock.clearTimer(this.#probeTimer);
    this.#probeTimer = undefined;
    await this.node.close();
  }

  get #clock(): Clock {
    return this.owner.settings.clock;
  }

  #onServing(runId: string): void {
    this.runId = runId;
    const duplicate = this.owner.sameServerAs(this);
    if (duplicate !== undefined) {
      this.recordFailure(new Error(`it is the same server as ${duplicate.id}`));
    } else if (!this.#isQuarantined) {
      this.#clearMark();
    }
  }

  /** The node refused to grant. A renewal or withdrawal that succeeds does not disprove that. */
  get #refusesClaims(): boolean {
    return this.#lastError instanceof BackendUnavailableError && this.#lastError.executed === 'no';
  }

  get #isQuarantined(): boolean {
    return (this.quarantineMs ?? 0) > 0;
  }

  #clearMark(): void {
    if (this.#skipMark === undefined || this.#isClosed || this.owner.sameServerAs(this) !== undefined) return;
    const awayMs = this.#clock.now() - this.#skipMark.since.at;
    this.#skipMark = undefined;
    if (this.#probeTimer !== undefined) this.#clock.clearTimer(this.#probeTimer);
    this.#probeTimer = undefined;
    this.owner.publish({ kind: 'available', node: this.id, awayMs });
  }

  #scheduleProbe(ms: number): void {
    if (this.#probeTimer !== undefined) this.#clock.clearTimer(this.#probeTimer);
    this.#probeTimer = this.#clock.setTimer(() => {
      this.#probeTimer = undefined;
      void this.#probe();
    }, ms);
  }

  async #probe(): Promise<void> {
    try {
      await this.node.ping();
      // A ping does not prove that the node grants: only a verdict makes the next pause short
      // again.
      if (!this.#isQuarantined) this.#clearMark();
    } catch (error) {
      this.#lastError = error as Error;
    }
    if (this.#skipMark === undefined || this.#isClosed) return;
    this.#scheduleProbe(this.#isQuarantined ? this.quarantineMs! : this.#probePauses.take());
  }
}
