import assert from 'node:assert/strict';
import {
  Bedrock,
  FAIR_MUTEX,
  MUTEX,
  sleep,
  type Backend,
  type BedrockOptions,
  type Claim,
  type Clock,
  type Lock,
  type LockOptions,
  type Operation,
  type Shape,
} from 'bedrock-lock';
import type { ContenderJob, MutexKind } from '../contender/contender-job.js';
import { checkHistory, type HistoryReport } from '../history/check-history.js';
import type { History } from '../history/history-event.js';
import type { Bounds } from '../history/violation.js';
import type { ContractHarness } from './contract-harness.js';

/** Options of a peer: those of its Bedrock and the label of its backend. */
export interface PeerTerms extends Omit<BedrockOptions, 'backend'> {
  readonly label?: string;
}

/** A hand-over by message; the sweep that stands in for a lost message comes after 600 ms at the earliest. */
export const HAND_OVER_MS = 50;
/** Turns of others that begin while one hand-over takes its time, at most: bodies of the crowds take a ms and more, in a few processes. */
const TURNS_PER_MS = 3;

/** Where one promise is tried: a fresh resource, and peers that are closed afterwards. */
export class Stage {
  readonly resource: string;
  readonly #bedrocks: Bedrock[] = [];
  readonly #backends: Backend[] = [];
  #claims = 0;
  #operations = 0;

  constructor(
    readonly harness: ContractHarness,
    private readonly clock: Clock,
    readonly kind: MutexKind = 'mutex',
    /** Told of what must never happen, whatever becomes of the promise that is tried. */
    private readonly onViolation: (what: string) => void = () => undefined,
  ) {
    this.resource = harness.freshResource();
  }

  now(): number {
    return this.clock.now();
  }

  /** For promises about time alone; never to wait for something that can be asked for. */
  pass(ms: number): Promise<void> {
    return sleep(this.clock, ms);
  }

  /** A Bedrock of its own, ready: what another process would have. */
  async peer({ label, ...options }: PeerTerms = {}): Promise<Bedrock> {
    const backend = await this.harness.backend({ ...(label !== undefined && { label }) });
    const bedrock = new Bedrock({ defaults: { leaseMs: 5_000 }, ...options, backend });
    this.#bedrocks.push(bedrock);
    await bedrock.ready();
    return bedrock;
  }

  /** Half of the hand-overs between processes take no longer, in ms. */
  get handOverMs(): number {
    return this.harness.handOverMs ?? HAND_OVER_MS;
  }

  /** Whoever waits sees at most so many turns of others begin: counted, since a slow machine makes each of them longer. */
  get mostTurns(): number {
    return TURNS_PER_MS * this.handOverMs;
  }

  /** The lock of this stage, as a peer makes it. */
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

  /** A claim of a mutex on this stage's resource, as the engine would send it. */
  claim(backend: Backend, terms: Partial<Claim> = {}): Claim {
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
      ...terms,
    };
  }

  /** A change, as the engine would name it. */
  operation(backend: Backend, terms: Partial<Operation> = {}): Operation {
    return {
      id: `${backend.processId}:${++this.#operations}`,
      attempt: 1,
      notAfter: this.now() + backend.operationTimeoutMs,
      keepMs: 60_000,
      ...terms,
    };
  }

  /** Runs the jobs on this stage's resource and judges their history. */
  async crowd(
    jobs: readonly Omit<ContenderJob, 'resource'>[],
    bounds?: Bounds,
  ): Promise<HistoryReport & { readonly history: History }> {
    const { resource } = this;
    const { kind } = this;
    const history = await this.harness.crowd(jobs.map((job) => ({ ...job, resource, kind })));
    const report = checkHistory(history, bounds);
    for (const { text } of report.violations) this.onViolation(text);
    assert.deepEqual(report.violations, []);
    return { ...report, history };
  }

  /** Asks again and again until the answer is yes. */
  async eventually(what: string, isTrue: () => boolean | Promise<boolean>, withinMs = 2_000): Promise<void> {
    const deadline = this.now() + withinMs;
    while (!(await isTrue())) {
      assert.ok(this.now() < deadline, `not within ${withinMs} ms: ${what}`);
      await this.pass(5);
    }
  }

  /** The store has forgotten the resource. */
  async becomesEmpty(withinMs = 2_000): Promise<void> {
    await this.eventually('nothing is left', () => this.harness.isEmpty(this.resource), withinMs);
  }

  /** Resolves when so many callers of a peer wait, and will hear of a release. */
  async waiting(peer: Bedrock, count: number): Promise<void> {
    await this.eventually(`${count} wait`, () => {
      const { waiters, watches } = peer.stats();
      return waiters === count && (watches > 0 || !peer.backend.traits.push);
    });
  }

  async close(): Promise<void> {
    await Promise.all(this.#bedrocks.map((bedrock) => bedrock.close({ graceMs: 0 })));
    await Promise.all(this.#backends.map((backend) => backend.close()));
  }
}
