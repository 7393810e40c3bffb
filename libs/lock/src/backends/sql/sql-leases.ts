import type {
  Claim,
  ClaimRef,
  ClaimView,
  HeldRef,
  HolderView,
  RenewOutcome,
  Shape,
  Verdict,
  WithdrawOptions,
  WithdrawOutcome,
} from '../../core/claim.js';
import type { LeaseDriver, Unsubscribe, Waker } from '../../core/ports/ports.js';
import { InFlight } from '../../runtime/in-flight.js';
import type { ProcessDirectory } from '../kit/process-directory.js';
import type { RowReaper } from './rows/row-reaper.js';
import { RowExecutor, type RowExecutorDeps, type RowOperation } from './rows/row-executor.js';
import {
  claimOperation,
  stateOperation,
  renewOperation,
  withdrawOperation,
  type DeferredAnswer,
  type RowOperationDeps,
} from './rows/row-operations.js';
import { lifeUsOf } from './rows/row-state.js';
import type { RowViews } from './rows/row-views.js';
import type { RowGrant } from './rows/row-format.js';

export interface SqlLeasesDeps extends RowExecutorDeps {
  readonly processId: string;
  readonly rowReaper: RowReaper;
  readonly processes: ProcessDirectory;
  readonly views: RowViews;
  /** Without it the engine asks again by itself. */
  readonly watch?: ((resource: string, waker: Waker) => Promise<Unsubscribe>) | undefined;
}

/** Renewals in one statement, at most. */
const RENEWALS_AT_ONCE = 256;
/** Executors kept at least, though idle: objects made for each request are work for the garbage collector. */
const MIN_EXECUTORS = 64;

/** The verbs on rows of a database. Requests for one resource go in order, through its executor. */
export class SqlLeases implements LeaseDriver {
  readonly #executors = new Map<string, RowExecutor>();
  /** Executors from which on the idle ones are forgotten. */
  #trimAt = MIN_EXECUTORS;
  readonly #operations: RowOperationDeps;
  readonly #inFlight = new InFlight();

  constructor(private readonly deps: SqlLeasesDeps) {
    const { clockOffset, processId, views } = deps;
    const holderViewOf = (grant: RowGrant, nowUs: number): HolderView => views.holderOf(grant, nowUs);
    this.#operations = { clockOffset, processId, holderViewOf };
  }

  claim(claim: Claim): Promise<Verdict> {
    const { clock, processes } = this.deps;
    processes.refresh();
    // A claim that is late here is late in the database too.
    if (clock.now() > claim.notAfter) return Promise.resolve({ kind: 'stale' });
    return this.#use(claim.resource, (deferred: DeferredAnswer<Verdict>) =>
      claimOperation(claim, this.#operations, this.deps.table, deferred),
    );
  }

  async renew(held: readonly HeldRef[]): Promise<readonly RenewOutcome[]> {
    this.deps.processes.refresh();
    const batches: Promise<readonly RenewOutcome[]>[] = [];
    for (let at = 0; at < held.length; at += RENEWALS_AT_ONCE) {
      batches.push(this.#renewBatch(held.slice(at, at + RENEWALS_AT_ONCE)));
    }
    return (await Promise.all(batches)).flat();
  }

  withdraw(ref: ClaimRef, options: WithdrawOptions): Promise<WithdrawOutcome> {
    return this.#use(ref.resource, (deferred: DeferredAnswer<WithdrawOutcome>) =>
      withdrawOperation(ref, options, this.#operations, this.deps.table, deferred),
    );
  }

  annotate(ref: ClaimRef, { depth }: { readonly depth: number }): void {
    const noted = this.#submit(ref.resource, (deferred: DeferredAnswer<void>) =>
      stateOperation(deferred, (state) => state.annotate(ref.id, depth)),
    );
    noted.catch(() => undefined);
  }

  async inspect(resource: string): Promise<readonly ClaimView[]> {
    const { table, views, clockOffset } = this.deps;
    const deadline = this.#deadline();
    const snapshot = await table.read([resource], deadline);
    clockOffset.addSample(snapshot.nowUs);
    return (await views.of(snapshot, deadline)).flatMap(({ holders }) => holders);
  }

  revoke(resource: string, _shape: Shape, how: 'atExpiry' | 'now', holder?: string): Promise<boolean> {
    return this.#submit(resource, (deferred: DeferredAnswer<boolean>) =>
      stateOperation(deferred, (state) => state.revoke(how, holder)),
    );
  }

  async watch(resource: string, _shape: Shape, waker: Waker): Promise<Unsubscribe> {
    return (await this.deps.watch?.(resource, waker)) ?? (() => undefined);
  }

  /** Resolves when all that was asked before is answered; each answer comes in its time. */
  settled(): Promise<void> {
    return this.#inFlight.whenSettled();
  }

  /** One statement for the grants that have a row for themselves; the others are decided one by one. */
  async #renewBatch(held: readonly HeldRef[]): Promise<readonly RenewOutcome[]> {
    const deadline = this.#deadline();
    const isWhole = held.map(({ shape }) => shape.mode === 'exclusive');
    const renewals = held
      .filter((_, at) => isWhole[at])
      .map(({ resource, id, leaseMs, keepMs }) => ({
        resource,
        id,
        lifeUs: lifeUsOf(Math.max(leaseMs, keepMs)),
      }));
    try {
      const renewed = renewals.length === 0 ? [] : await this.deps.table.renew(renewals, deadline);
      let next = 0;
      const done = isWhole.map((is) => is && renewed[next++] === true);
      return await Promise.all(
        held.map(async (ref, at) => (done[at] ? 'renewed' : this.#renewAlone(ref, deadline))),
      );
    } catch {
      return held.map(() => 'unknown');
    }
  }

  #renewAlone(held: HeldRef, deadline: number): Promise<RenewOutcome> {
    const renewal = this.#submit(
      held.resource,
      (deferred: DeferredAnswer<RenewOutcome>) => renewOperation(held, deferred),
      deadline,
    );
    return renewal.catch(() => 'unknown');
  }

  /**
   * The row counts as used when the operation begins, and once more when it is answered: a slow one
   * may make the row, or free it, after all attempts to remove the row.
   */
  #use<T>(resource: string, operationOf: (deferred: DeferredAnswer<T>) => RowOperation): Promise<T> {
    const { rowReaper } = this.deps;
    rowReaper.markUsed(resource);
    return this.#submit(resource, operationOf, this.#deadline(), () => rowReaper.markUsed(resource));
  }

  #submit<T>(
    resource: string,
    operationOf: (deferred: DeferredAnswer<T>) => RowOperation,
    deadline = this.#deadline(),
    onSettled?: () => void,
  ): Promise<T> {
    const generation = this.#inFlight.begin();
    const settle = (): void => {
      generation.end();
      onSettled?.();
    };
    return new Promise<T>((resolve, reject) => {
      const deferred: DeferredAnswer<T> = {
        deadline,
        resolve: (answer) => (settle(), resolve(answer)),
        reject: (error: Error) => (settle(), reject(error)),
      };
      this.#executorFor(resource).submit(operationOf(deferred));
    });
  }

  #executorFor(resource: string): RowExecutor {
    const known = this.#executors.get(resource);
    if (known !== undefined) return known;
    if (this.#executors.size >= this.#trimAt) this.#removeIdleExecutors();
    const executor = new RowExecutor(resource, this.deps);
    this.#executors.set(resource, executor);
    return executor;
  }

  /** So seldom that it costs a new executor next to nothing. */
  #removeIdleExecutors(): void {
    for (const [resource, executor] of this.#executors) if (executor.isIdle) this.#executors.delete(resource);
    this.#trimAt = Math.max(MIN_EXECUTORS, 2 * this.#executors.size);
  }

  #deadline(): number {
    return this.deps.clock.now() + this.deps.operationTimeoutMs;
  }
}
