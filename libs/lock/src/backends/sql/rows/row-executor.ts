import { sleep, type Clock } from '../../../core/clock.js';
import type { ClockOffset } from '../../kit/clock-offset.js';
import type { BackendErrors } from '../connection/failures.js';
import type { RowSnapshot } from './lock-row.js';
import type { LockTable, RowUnchanged } from './lock-table.js';
import { RowState } from './row-state.js';

// Taken when the module loads, so that fake timers installed later cannot stop an executor.
const enqueueMicrotask = queueMicrotask;

/** Operations that are decided together, at most. */
const MAX_BATCH = 64;
/** So many, each in one statement, are as good as together. */
const MAX_SINGLE_STATEMENTS = 2;
/**
 * Losing against other processes so often in a row is chance; then it helps to go one by one, or to
 * step back, in ms.
 */
const MAX_LOSSES = 2;
const BACKOFF_MS = 8;

/** What became of an operation on a row, if that is written. */
export interface RowDecision {
  settle(): void;
  /** The database must not write it later than this, by its own clock; Infinity where nothing is granted. */
  readonly notAfterUs: number;
}

/** One verb on one resource. */
export interface RowOperation {
  /** Local monotonic ms at which it is settled at the latest. */
  readonly deadline: number;
  /** A missing row is created. */
  readonly needsRow: boolean;
  /** A lease ends without it. */
  readonly isUrgent?: boolean;
  /** Decides on a row; perhaps again, on a newer one. */
  apply(state: RowState): RowDecision;
  /**
   * Tries it in one statement, where possible. Returns the function that settles it, or the row
   * that was in the way.
   */
  readonly singleStatement?: (() => Promise<(() => void) | RowUnchanged>) | undefined;
  fail(error: unknown): void;
}

export interface RowExecutorDeps {
  readonly clock: Clock;
  readonly table: LockTable;
  readonly clockOffset: ClockOffset;
  readonly errors: BackendErrors;
  readonly operationTimeoutMs: number;
}

/**
 * Runs the operations of this process on one resource, in order. A lone operation may need one
 * statement. Operations that gather while another is in flight are decided together. The row is
 * read, changed here, and written back if no other process has changed it. `SerialExecutor` does not fit: each
 * operation would be executed alone.
 */
export class RowExecutor {
  #queue: RowOperation[] = [];
  #isRunning = false;
  readonly #start = (): void => void this.#run();

  constructor(
    private readonly resource: string,
    private readonly deps: RowExecutorDeps,
  ) {}

  /** No statement is in flight and no caller waits. */
  get isIdle(): boolean {
    return !this.#isRunning;
  }

  submit(operation: RowOperation): void {
    this.#queue.push(operation);
    if (this.#isRunning) return;
    this.#isRunning = true;
    // After this turn, so that a withdraw and a claim of the same turn are decided together.
    // OncePerTurn does not fit: its turn is longer, and later operations gather anyway.
    enqueueMicrotask(this.#start);
  }

  async #run(): Promise<void> {
    while (this.#queue.length > 0) {
      const batch = this.#withinDeadline(this.#queue.splice(0, MAX_BATCH));
      if (batch.length === 0) continue;
      try {
        await this.#execute(batch);
      } catch (error) {
        for (const operation of batch) operation.fail(error);
      }
    }
    this.#isRunning = false;
  }

  #execute(batch: readonly RowOperation[]): Promise<void> {
    if (
      batch.length <= MAX_SINGLE_STATEMENTS &&
      batch.every(({ singleStatement: inOne }) => inOne !== undefined)
    )
      return this.#executeOneByOne(batch);
    return this.#executeTogether(batch, undefined);
  }

  /** Settles all at the end: a caller that has left may count on operations requested with it. */
  async #executeOneByOne(batch: readonly RowOperation[]): Promise<void> {
    const { table, clockOffset } = this.deps;
    const settle: (() => void)[] = [];
    for (const operation of batch) {
      try {
        if (!clockOffset.isKnown)
          await clockOffset.whenKnown(async () => (await table.read([], operation.deadline)).nowUs);
        const answer = await operation.singleStatement!();
        const done = typeof answer === 'function' ? answer : await this.#fallBack(operation, answer);
        if (done !== undefined) settle.push(done);
      } catch (error) {
        settle.push(() => operation.fail(error));
      }
    }
    for (const one of settle) one();
  }

  async #executeTogether(batch: readonly RowOperation[], initial: RowSnapshot | undefined): Promise<void> {
    const { clock, table, errors } = this.deps;
    const deadline = Math.min(...batch.map((operation) => operation.deadline));
    const isUrgent = batch.some((operation) => operation.isUrgent === true);
    let snapshot = initial;
    for (let tries = 1; ; tries += 1) {
      const seen = snapshot ?? (await this.#readRow(deadline, isUrgent));
      const decisions = await this.#tryUpdate(batch, seen, deadline, isUrgent);
      if (decisions !== undefined) return decisions.forEach((decision) => decision.settle());
      snapshot = undefined;
      const canDoEach =
        table.decidesAll === true && batch.every(({ singleStatement: inOne }) => inOne !== undefined);
      if (tries > MAX_LOSSES && canDoEach) return this.#executeOneByOne(batch);
      if (tries > MAX_LOSSES) await sleep(clock, clock.random() * BACKOFF_MS * Math.min(tries, 8));
      if (clock.now() >= deadline) throw errors.notExecuted('too many others ask for it at once');
    }
  }

  /**
   * Does what one statement could not do: with the missing row, or together. Returns the function
   * that settles it, unless it is settled.
   */
  async #fallBack(operation: RowOperation, seen: RowUnchanged): Promise<(() => void) | undefined> {
    const { table, clockOffset } = this.deps;
    let answer: RowUnchanged | (() => void) = seen;
    if (seen.row === undefined && operation.needsRow) {
      await table.create([this.resource], operation.deadline);
      answer = await operation.singleStatement!();
      if (typeof answer === 'function') return answer;
    }
    // Without a row there was no clock to read.
    if (answer.row !== undefined) clockOffset.addSample(answer.nowUs);
    await this.#executeTogether([operation], answer.row === undefined ? undefined : answer);
    return undefined;
  }

  async #readRow(deadline: number, isUrgent: boolean): Promise<RowSnapshot> {
    const { nowUs, rows } = await this.deps.table.read([this.resource], deadline, isUrgent);
    this.deps.clockOffset.addSample(nowUs);
    return { nowUs, row: rows[0] };
  }

  /** What settles the batch; undefined when another process was faster. */
  async #tryUpdate(
    batch: readonly RowOperation[],
    { nowUs, row }: RowSnapshot,
    deadline: number,
    isUrgent: boolean,
  ): Promise<readonly RowDecision[] | undefined> {
    const { table, operationTimeoutMs } = this.deps;
    const state = new RowState(this.resource, row, nowUs);
    const decisions = batch.map((operation) => operation.apply(state));
    if (!state.isChanged) return decisions;
    if (row === undefined) {
      await table.create([this.resource], deadline);
      return undefined;
    }
    // A decision on an old row is no longer right after the wait for that row.
    const bounds = decisions.map(({ notAfterUs }) => notAfterUs);
    const update = state.update(Math.min(nowUs + operationTimeoutMs * 1_000, ...bounds));
    return (await table.compareAndSet(update, deadline, isUrgent)) ? decisions : undefined;
  }

  /** The operations whose time is not over; they may have spent it behind others. */
  #withinDeadline(operations: RowOperation[]): RowOperation[] {
    const { clock, errors } = this.deps;
    const now = clock.now();
    return operations.filter((operation) => {
      if (operation.deadline > now) return true;
      operation.fail(errors.notExecuted('it waited too long for answers about the same resource'));
      return false;
    });
  }
}
