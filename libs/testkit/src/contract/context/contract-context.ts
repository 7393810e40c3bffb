import {
  Bedrock,
  FAIR_MUTEX,
  MUTEX,
  sleep,
  systemClock,
  type Backend,
  type BedrockOptions,
  type Claim,
  type Clock,
  type Lock,
  type LockOptions,
  type OperationId,
  type Shape,
} from 'bedrock-lock';
import type { ContenderJob, MutexVariant } from '../../contender/contender-job.js';
import { assertHistory } from '../../history/assert-history.js';
import type { HistoryReport } from '../../history/check-history.js';
import type { History } from '../../history/history-event.js';
import { historyNow } from '../../history/history-recorder.js';
import type { HistoryLimits, TurnBound } from '../../history/violation.js';
import type { Liveness } from '../../liveness/liveness.js';
import type { ContractHarness } from './contract-harness.js';

/** Options of a peer: those of its Bedrock and the label of its backend. */
export interface PeerBedrockOptions extends Omit<BedrockOptions, 'backend'> {
  readonly label?: string;
}

/** A hand-over by message; the sweep that stands in for a lost message comes after 600 ms at the earliest. */
export const HAND_OVER_MS = 50;
/** Turns of others that begin while one hand-over takes its time, at most: bodies of the contenders take a ms and more, in a few processes. */
const TURNS_PER_MS = 3;

/** What one promise is tried with: a fresh resource, and peers that are closed afterwards. */
export class ContractContext {
  readonly resource: string;
  readonly clock: Clock;
  readonly #bedrocks: Bedrock[] = [];
  readonly #backends: Backend[] = [];
  #claims = 0;
  #operations = 0;

  constructor(
    readonly harness: ContractHarness,
    /** Checks how long things take. */
    readonly liveness: Liveness,
    readonly kind: MutexVariant = 'mutex',
    private readonly scale = 1,
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

  /** The event loop is not free for so long. */
  block(ms: number): void {
    const { clock } = this.harness;
    if (clock !== undefined) return clock.block(ms);
    for (const endsAt = this.now() + ms; this.now() < endsAt;);
  }

  /** For promises about time alone; never to wait for something that can be asked for. */
  sleep(ms: number): Promise<void> {
    return sleep(this.clock, ms);
  }

  /** A Bedrock of its own, ready: what another process would have. */
  async peer({ label, ...options }: PeerBedrockOptions = {}): Promise<Bedrock> {
    const backend = await this.harness.backend({ ...(label !== undefined && { label }) });
    const bedrock = this.bedrockOn(backend, { defaults: { leaseMs: 5_000 }, ...options });
    this.#bedrocks.push(bedrock);
    await bedrock.ready();
    return bedrock;
  }

  /** A Bedrock that the caller closes. */
  bedrockOn(backend: Backend, options: Omit<BedrockOptions, 'backend'> = {}): Bedrock {
    return new Bedrock({ clock: this.clock, ...options, backend });
  }

  /** Half of the hand-overs between processes take no longer, in ms. */
  get handOverMs(): number {
    return this.harness.handOverMs ?? HAND_OVER_MS;
  }

  /** For jobs that never pause: nobody starves. */
  get turnBound(): TurnBound {
    return { most: TURNS_PER_MS * this.handOverMs, inMs: this.handOverMs };
  }

  /** The lock of this context, as a peer makes it. */
  lock(peer: Bedrock, options?: LockOptions): Lock {
    return peer[this.kind](this.resource, options);
  }

  /** What its claims ask for. */
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

  /** A change, as the engine would name it. */
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

  /** The shortest lease that is granted before it ends though the machine is busy, ms. */
  get briefMs(): number {
    return Math.max(150, 2 * this.handOverMs);
  }

  /** A short lease that renewals keep though the machine is busy, ms. */
  get leaseMs(): number {
    return Math.max(400, 4 * this.handOverMs);
  }

  /** So many cycles where hand-overs are quick, fewer where each takes longer, and 5 at least. */
  cycles(most: number): number {
    return Math.max(5, Math.round(most * this.scale));
  }

  /** Asks again and again until the answer is yes. */
  async eventually(what: string, isTrue: () => boolean | Promise<boolean>, withinMs = 2_000): Promise<void> {
    await this.liveness.eventually(what, isTrue, withinMs);
  }

  /** What `act` gives, which must not take longer. */
  within<T>(what: string, boundMs: number, act: () => Promise<T>): Promise<T> {
    return this.liveness.within(what, boundMs, act);
  }

  /** The store has forgotten the resource. */
  async becomesEmpty(withinMs = 2_000): Promise<void> {
    await this.eventually('nothing is left', () => this.harness.isEmpty(this.resource), withinMs);
  }

  /** Resolves when so many callers of a peer wait, have their place in line, and will hear of a release. */
  async waiting(peer: Bedrock, count: number): Promise<void> {
    await this.eventually(`${count} wait`, () => {
      const { waiters, watches } = peer.stats();
      return waiters === count && (watches > 0 || !peer.backend.traits.push);
    });
    // Once they hear of releases they ask again. What was asked before the ping is answered before it.
    await this.sleep(1);
    await peer.backend.ping();
  }

  async close(): Promise<void> {
    await Promise.all(this.#bedrocks.map((bedrock) => bedrock.close({ graceMs: 0 })));
    await Promise.all(this.#backends.map((backend) => backend.close()));
  }
}
