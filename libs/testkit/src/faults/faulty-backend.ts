import { BackendUnavailableError, type Backend, type Clock } from 'bedrock-lock';
import type {
  AdminDriver,
  Claim,
  ClaimRef,
  CounterDriver,
  HeldRef,
  JointVerdict,
  LeaseDriver,
  PermitDriver,
  RecordDriver,
  Shape,
  Traits,
  Unsubscribe,
  Waker,
  WithdrawOptions,
} from 'bedrock-lock/backend';
import { sleep, systemClock } from 'bedrock-lock/integration';
import type { BackendCall, Fault, Verb, VerbInput } from './fault.js';
import { faultyDriver, type CallInterceptor } from './faulty-driver.js';

export interface FaultyBackendOptions {
  /** Times the delays. @default the system clock */
  readonly clock?: Clock;
  /** Traits that differ from those of the inner backend: `{ push: false }`. */
  readonly traits?: Partial<Traits>;
}

/**
 * A backend that fails on demand. Faults are planned per verb and used up in order, one per call; without a planned
 * fault, the call passes. Every call is recorded. Each verb settles within `operationTimeoutMs`, as the port promises.
 */
export class FaultyBackend implements Backend, LeaseDriver {
  readonly name: string;
  readonly leases = this;
  readonly counters?: CounterDriver;
  readonly permits?: PermitDriver;
  readonly records?: RecordDriver;
  /** That of the inner backend, without faults. */
  readonly admin?: AdminDriver;
  readonly processId: string;
  readonly operationTimeoutMs: number;
  readonly traits: Traits;
  readonly calls: BackendCall[] = [];
  /** Undefined if the inner backend has none. */
  readonly claimAll?: (claims: readonly Claim[]) => Promise<JointVerdict>;
  /** While true, wakes do not arrive; they are lost for good. */
  dropsWakes = false;
  readonly #inner: Backend;
  readonly #clock: Clock;
  readonly #plans = new Map<Verb, Fault[]>();
  readonly #suspectListeners = new Set<(resource: string | undefined) => void>();
  #isCutOff = false;

  constructor(inner: Backend, { clock = systemClock, traits = {} }: FaultyBackendOptions = {}) {
    this.#inner = inner;
    this.#clock = clock;
    this.name = inner.name;
    this.processId = inner.processId;
    this.operationTimeoutMs = inner.operationTimeoutMs;
    this.traits = Object.freeze({ ...inner.traits, ...traits });
    if (inner.leases.claimAll !== undefined) {
      this.claimAll = (claims) =>
        this.#through('claimAll', claims, () => this.#inner.leases.claimAll!(claims));
    }
    if (inner.admin !== undefined) this.admin = inner.admin;
    if (inner.counters !== undefined) this.counters = this.#faulty('counters', inner.counters);
    if (inner.permits !== undefined) this.permits = this.#faulty('permits', inner.permits);
    if (inner.records !== undefined) this.records = this.#faulty('records', inner.records);
  }

  get commands(): number {
    return this.#inner.commands;
  }

  /** The next `times` calls of a verb suffer this fault; plans of one verb queue up. A note has no answer to lose. */
  plan(verb: Exclude<Verb, 'annotate'>, fault: Fault, times = 1): this {
    const plans = this.#plans.get(verb) ?? [];
    const faults = times === Infinity ? [{ ...fault, forEver: true }] : new Array<Fault>(times).fill(fault);
    this.#plans.set(verb, [...plans, ...faults]);
    return this;
  }

  /** Drops every plan and restores the network; calls in flight keep their fault. */
  heal(): void {
    this.#plans.clear();
    this.#isCutOff = false;
    this.dropsWakes = false;
  }

  /** Blocks every request and reply, as if the process had died or its network was down. */
  cutOff(): void {
    this.#isCutOff = true;
    this.dropsWakes = true;
  }

  callsOf<V extends Verb>(verb: V): readonly BackendCall<V>[] {
    return this.calls.filter((call): call is BackendCall<V> => call.verb === verb);
  }

  /** Makes the backend suspect its grants, as after a reconnection. */
  suspect(resource?: string): void {
    for (const listener of this.#suspectListeners) listener(resource);
  }

  claim(claim: Claim) {
    return this.#through('claim', claim, () => this.#inner.leases.claim(claim));
  }

  renew(held: readonly HeldRef[]) {
    return this.#through('renew', held, () => this.#inner.leases.renew(held));
  }

  withdraw(ref: ClaimRef, options: WithdrawOptions) {
    return this.#through('withdraw', { ref, options }, () => this.#inner.leases.withdraw(ref, options));
  }

  annotate(ref: ClaimRef, note: { readonly depth: number }): void {
    this.calls.push({ verb: 'annotate', input: { ref, note }, at: this.#clock.now() });
    if (!this.#isCutOff) this.#inner.leases.annotate(ref, note);
  }

  inspect(resource: string, shape: Shape) {
    return this.#through('inspect', resource, () => this.#inner.leases.inspect(resource, shape));
  }

  revoke(resource: string, shape: Shape, how: 'atExpiry' | 'now', holder?: string) {
    const input = { resource, how, ...(holder !== undefined && { holder }) };
    return this.#through('revoke', input, () => this.#inner.leases.revoke(resource, shape, how, holder));
  }

  watch(resource: string, shape: Shape, waker: Waker): Promise<Unsubscribe> {
    const deliver: Waker = (wake) => {
      if (!this.dropsWakes) waker(wake);
    };
    return this.#through('watch', resource, () => this.#inner.leases.watch(resource, shape, deliver));
  }

  async ready(): Promise<void> {
    this.#assertReachable();
    return this.#inner.ready();
  }

  async ping(): Promise<number> {
    this.#assertReachable();
    return this.#inner.ping();
  }

  onSuspect(listener: (resource: string | undefined) => void): Unsubscribe {
    const stop = this.#inner.onSuspect((resource) => {
      if (!this.#isCutOff) listener(resource);
    });
    this.#suspectListeners.add(listener);
    return () => {
      this.#suspectListeners.delete(listener);
      stop();
    };
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  #faulty<D extends object>(name: 'counters' | 'permits' | 'records', driver: D): D {
    const intercept: CallInterceptor = (verb, input, act) =>
      this.#through(`${name}.${verb}` as Verb, input as VerbInput[Verb], act);
    return faultyDriver(driver, intercept, (wake) => () => {
      if (!this.dropsWakes) wake();
    });
  }

  #assertReachable(): void {
    if (this.#isCutOff) throw new BackendUnavailableError(this.name, 'it is cut off', 'no');
  }

  async #through<V extends Verb, T>(verb: V, input: VerbInput[V], act: () => Promise<T>): Promise<T> {
    const fault = this.#isCutOff ? ({ kind: 'loseRequest' } as const) : this.#take(verb);
    const call: BackendCall = { verb, input, at: this.#clock.now(), ...(fault && { fault: fault.kind }) };
    this.calls.push(call);
    switch (fault?.kind) {
      case undefined:
        return act();
      case 'refuse':
        throw this.#unavailable('refused by the test', 'no');
      case 'fail':
        throw fault.error;
      case 'loseRequest':
        throw this.#unavailable('the request was lost', 'unknown');
      case 'loseReply':
        await act();
        throw this.#unavailable('the reply was lost', 'unknown');
      case 'double': {
        const answer = await act();
        await act();
        return answer;
      }
      case 'hang':
        return this.#timeOut(this.operationTimeoutMs);
      case 'answer':
        return fault.answer as T;
      case 'delay': {
        const { giveUpMs = this.operationTimeoutMs } = fault;
        return Promise.race([this.#delayed(fault, act), this.#timeOut(giveUpMs)]);
      }
    }
  }

  #take(verb: Verb): Fault | undefined {
    const plans = this.#plans.get(verb);
    return plans?.[0]?.forEver === true ? plans[0] : plans?.shift();
  }

  async #delayed<T>(
    { requestMs = 0, replyMs = 0 }: Fault & { kind: 'delay' },
    act: () => Promise<T>,
  ): Promise<T> {
    if (requestMs > 0) await sleep(this.#clock, requestMs);
    const answer = await act();
    if (replyMs > 0) await sleep(this.#clock, replyMs);
    return answer;
  }

  async #timeOut(ms: number): Promise<never> {
    await sleep(this.#clock, ms);
    throw this.#unavailable(`no answer within ${ms} ms`, 'unknown');
  }

  #unavailable(detail: string, executed: 'no' | 'unknown'): BackendUnavailableError {
    return new BackendUnavailableError(this.name, detail, executed);
  }
}
