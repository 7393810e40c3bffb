import {
  Bedrock,
  type Backend,
  type BedrockOptions,
  type Clock,
  type Lock,
  type LockOptions,
} from 'bedrock-lock';
import { FAIR_MUTEX, MUTEX, type Claim, type OperationId, type Shape } from 'bedrock-lock/backend';
import { sleep, systemClock } from 'bedrock-lock/integration';
import type { ContenderJob, MutexVariant } from '../../contender/contender-job.js';
import { assertHistory } from '../../history/assert-history.js';
import type { HistoryReport } from '../../history/check-history.js';
import type { History } from '../../history/history-event.js';
import { historyNow } from '../../history/history-recorder.js';
import type { HistoryLimits, TurnBound } from '../../history/violation.js';
import type { Liveness } from '../../liveness/liveness.js';
import type { ContractHarness } from './contract-harness.js';
import { DurationSamples } from './duration-samples.js';

/** Options of a peer: those of its Bedrock and the label of its backend. */
export interface PeerBedrockOptions extends Omit<BedrockOptions, 'backend'> {
  readonly label?: string;
}

/** A hand-over by message, in ms; the sweep that replaces a lost message runs after 600 ms at the earliest. */
export const HAND_OVER_MS = 50;
/**
 * Most turns of other callers that begin per ms of a hand-over: bodies of the contenders take a ms and more, in a few
 * processes.
 */
const TURNS_PER_MS = 3;

/** The context of one promise: a fresh resource, and peers that are closed afterwards. */
export class ContractContext {
  readonly resource: string;
  readonly clock: Clock;
  readonly #bedrocks: Bedrock[] = [];
  readonly #backends: Backend[] = [];
  readonly #unanswered = new Map<Bedrock, number>();
  #claims = 0;
  #operations = 0;

  /** @internal The suite makes one for each run of a promise. */
  constructor(
    readonly harness: ContractHarness,
    /** Checks durations. */
    readonly liveness: Liveness,
    readonly kind: MutexVariant = 'mutex',
    private readonly scale = 1,
    private readonly durations = new DurationSamples(liveness),
  ) {
    this.resource = harness.freshResource();
    this.clock = harness.clock ?? systemClock;
  }

  now(): number {
    return this.clock.now();
  }

  /** The time that all processes of the harness share, as in histories. */
  sharedNow(): number {
    return historyNow(this.clock);
  }

  /** Blocks the event loop for this time. */
  block(ms: number): void {
    const { clock } = this.harness;
    if (clock !== undefined) return clock.block(ms);
    for (const endsAt = this.now() + ms; this.now() < endsAt;);
  }

  /** Only for promises about time; never to wait for a condition that can be polled. */
  sleep(ms: number): Promise<void> {
    return sleep(this.clock, ms);
  }

  /** A Bedrock of its own, ready, as another process would have. */
  async peer({ label, ...options }: PeerBedrockOptions = {}): Promise<Bedrock> {
    const backend = await this.harness.backend({ ...(label !== undefined && { label }) });
    const bedrock = this.bedrockOn(backend, { defaults: { leaseMs: 5_000 }, ...options });
    this.#bedrocks.push(bedrock);
    await bedrock.ready();
    return bedrock;
  }

  /** A Bedrock that the caller closes. */
  bedrockOn(backend: Backend, options: Omit<BedrockOptions, 'backend'> = {}): Bedrock {
    const bedrock = new Bedrock({ clock: this.clock, ...options, backend });
    const add = (claims: number) =>
      void this.#unanswered.set(bedrock, (this.#unanswered.get(bedrock) ?? 0) + claims);
    bedrock.on('claim.sent', () => add(1));
    bedrock.on('backend.request', ({ verb, resources }) => {
      if (verb === 'claim') add(-resources);
    });
    return bedrock;
  }

  /** Half of the hand-overs between processes take at most this long, in ms. */
  get handOverMs(): number {
    return this.harness.handOverMs ?? HAND_OVER_MS;
  }

  /** How long a caller waits for this many hand-overs in a row, in ms: twice the median of each. */
  waitMs(handOvers: number): number {
    return Math.max(5_000, 2 * handOvers * this.handOverMs);
  }

  /** Bound against starvation, for jobs that never pause. */
  get turnBound(): TurnBound {
    return { most: TURNS_PER_MS * this.handOverMs, inMs: this.handOverMs };
  }

  /** Opens the first connection of a peer, so that a time is not that of the opening. */
  async warm(peer: Bedrock): Promise<void> {
    await peer.mutex(`${this.resource}:first`).run(() => undefined);
  }

  /** The lock of this context, created by a peer. */
  lock(peer: Bedrock, options?: LockOptions): Lock {
    return peer[this.kind](this.resource, options);
  }

  /** The shape of its claims. */
  get shape(): Shape {
    return this.kind === 'mutex' ? MUTEX : FAIR_MUTEX;
  }

  /** A bare backend, ready. */
  async backend(): Promise<Backend> {
    const backend = await this.harness.backend();
    this.#backends.push(backend);
    await backend.ready();
    return backend;
  }

  /** A claim of a mutex on this context's resource, as the engine would send it. */
  claim(backend: Backend, fields: Partial<Claim> = {}): Claim {
    return {
      id: `${backend.processId}:${++this.#claims}`,
      resource: this.resource,
      shape: this.shape,
      queue: false,
      mayPush: false,
      leaseMs: 5_000,
      holdAtLeastMs: 0,
      tokens: 1,
      notAfter: this.now() + backend.operationTimeoutMs,
      ...fields,
    };
  }

  /** The id of a change, as the engine would create it. */
  operation(backend: Backend, fields: Partial<OperationId> = {}): OperationId {
    return {
      id: `${backend.processId}:${++this.#operations}`,
      attempt: 1,
      notAfter: this.now() + backend.operationTimeoutMs,
      keepMs: 60_000,
      ...fields,
    };
  }

  /** Runs the jobs on this context's resource and checks their history. */
  async runContenders(
    jobs: readonly Omit<ContenderJob, 'resource'>[],
    limits?: HistoryLimits,
  ): Promise<HistoryReport & { readonly history: History }> {
    const { resource } = this;
    const { kind } = this;
    const history = await this.harness.runContenders(jobs.map((job) => ({ ...job, resource, kind })));
    return { ...assertHistory(history, limits), history };
  }

  /** The shortest lease that is granted before it ends even on a busy machine, in ms. */
  get briefMs(): number {
    return Math.max(150, 2 * this.handOverMs);
  }

  /** A short lease, in ms. */
  get leaseMs(): number {
    return Math.max(400, 4 * this.handOverMs);
  }

  /** A lease that renewals keep even where a process or a server stands still for half a second, in ms. */
  get renewedLeaseMs(): number {
    return Math.max(1_500, 4 * this.handOverMs);
  }

  /** The shortest lease in ms that a request must still find held: longer than a machine stands still. */
  get stayMs(): number {
    return 2_000;
  }

  /** The given number of cycles if hand-overs are fast, fewer if they are slow, and at least 5. */
  cycles(most: number): number {
    return Math.max(5, Math.round(most * this.scale));
  }

  /** The part of a job with `cycles(most)` holds whose process dies during the last. */
  dyingAt(most: number): Pick<ContenderJob, 'cycles' | 'crashAt'> {
    const holds = this.cycles(most);
    return { cycles: holds, crashAt: holds };
  }

  /** Polls until the condition is true. */
  async eventually(what: string, isTrue: () => boolean | Promise<boolean>, withinMs = 2_000): Promise<void> {
    await this.liveness.eventually(what, isTrue, withinMs);
  }

  /** The result of `act`, which must settle within the bound: the median of three runs if the first is late. */
  within<T>(what: string, boundMs: number, act: () => Promise<T>): Promise<T> {
    return this.durations.take(what, boundMs, act);
  }

  /** Resolves when the store has forgotten the resource. */
  async becomesEmpty(withinMs = 2_000): Promise<void> {
    await this.eventually('nothing is left', () => this.harness.isEmpty(this.resource), withinMs);
  }

  /** As {@link becomesEmpty}, where the last to use the resource died, with a lease of at most a second. */
  async becomesEmptyAfterDeath(): Promise<void> {
    await this.becomesEmpty(2_000 + (this.harness.emptyQueueMs ?? 0));
  }

  /** Resolves when this number of a peer's callers wait, are in the queue, and are subscribed to releases. */
  async waiting(peer: Bedrock, count: number): Promise<void> {
    await this.eventually(
      `${count} wait`,
      () => {
        const { waiters, watches } = peer.stats();
        return waiters === count && (watches > 0 || !peer.backend.traits.push);
      },
      10_000,
    );
    // Callers ask once more after they have subscribed, before this ping. Claims on another connection may still be
    // unanswered then.
    await this.sleep(1);
    await peer.backend.ping();
    await this.eventually('their claims are answered', () => !this.#unanswered.get(peer), 10_000);
  }

  async close(): Promise<void> {
    await Promise.all(this.#bedrocks.map((bedrock) => bedrock.close({ graceMs: 0 })));
    await Promise.all(this.#backends.map((backend) => backend.close()));
  }
}
