import { sleep, type Clock } from '../../../core/clock.js';
import type { DatabaseTime } from '../connection/database-time.js';
import type { Failures } from '../connection/failures.js';
import type { Glance } from './lock-row.js';
import type { LockTable, NotDone } from './lock-table.js';
import { Place } from './place.js';

// Taken when the module loads, so that fake timers installed later cannot stop a lane.
const enqueueMicrotask = queueMicrotask;

/** Operations that are decided together, at most. */
const MOST_AT_ONCE = 64;
/** So many, each in one statement, are as good as together. */
const FEW = 2;
/** Losing against other processes so often in a row is chance; then it helps to go one by one, or to step back, in ms. */
const PATIENCE = 2;
const STEP_BACK_MS = 8;

/** What became of an operation on a row, if that is written. */
export interface Decision {
  settle(): void;
  /** The database must not write it later than this, by its own clock; Infinity where nothing is granted. */
  readonly notAfterUs: number;
}

/** One verb on one resource. */
export interface Operation {
  /** Local monotonic ms at which it is settled at the latest. */
  readonly by: number;
  /** Where there is no row, one is made. */
  readonly needsRow: boolean;
  /** Decides on a row; perhaps again, on a newer one. */
  apply(place: Place): Decision;
  /** Does it in one statement, where that can be; gives what settles it, or the row that stood in the way. */
  readonly inOne?: (() => Promise<(() => void) | NotDone>) | undefined;
  fail(error: unknown): void;
}

export interface LaneGround {
  readonly clock: Clock;
  readonly table: LockTable;
  readonly time: DatabaseTime;
  readonly failures: Failures;
  readonly operationTimeoutMs: number;
}

/**
 * What this process asks about one resource, in order. A lone operation may need one statement; what gathers while another is
 * under way is decided together: the row is read, changed here, and written back if nobody else has changed it meanwhile.
 */
export class Lane {
  #waiting: Operation[] = [];
  #isRunning = false;
  readonly #start = (): void => void this.#run();

  constructor(
    private readonly resource: string,
    private readonly ground: LaneGround,
  ) {}

  /** Nothing is under way and nobody waits. */
  get isIdle(): boolean {
    return !this.#isRunning;
  }

  add(operation: Operation): void {
    this.#waiting.push(operation);
    if (this.#isRunning) return;
    this.#isRunning = true;
    // After this turn, so that a withdraw and a claim of the same turn are decided together.
    enqueueMicrotask(this.#start);
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#inTime(this.#waiting.splice(0, MOST_AT_ONCE));
      if (batch.length === 0) continue;
      try {
        await this.#decide(batch);
      } catch (error) {
        for (const operation of batch) operation.fail(error);
      }
    }
    this.#isRunning = false;
  }

  #decide(batch: readonly Operation[]): Promise<void> {
    if (batch.length <= FEW && batch.every(({ inOne }) => inOne !== undefined)) return this.#oneByOne(batch);
    return this.#together(batch, undefined);
  }

  /** Told when all are done: who hears that it has left may count on what was asked for with it. */
  async #oneByOne(batch: readonly Operation[]): Promise<void> {
    const { table, time } = this.ground;
    const settle: (() => void)[] = [];
    for (const operation of batch) {
      try {
        if (!time.isKnown) await time.whenKnown(async () => (await table.read([], operation.by)).nowUs);
        const answer = await operation.inOne!();
        const done = typeof answer === 'function' ? answer : await this.#otherwise(operation, answer);
        if (done !== undefined) settle.push(done);
      } catch (error) {
        settle.push(() => operation.fail(error));
      }
    }
    for (const one of settle) one();
  }

  async #together(batch: readonly Operation[], first: Glance | undefined): Promise<void> {
    const { clock, table, failures } = this.ground;
    const by = Math.min(...batch.map((operation) => operation.by));
    let glance = first;
    for (let tries = 1; ; tries += 1) {
      const decisions = await this.#swap(batch, glance ?? (await this.#glance(by)), by);
      if (decisions !== undefined) return decisions.forEach((decision) => decision.settle());
      glance = undefined;
      const canDoEach = table.decidesAll === true && batch.every(({ inOne }) => inOne !== undefined);
      if (tries > PATIENCE && canDoEach) return this.#oneByOne(batch);
      if (tries > PATIENCE) await sleep(clock, clock.random() * STEP_BACK_MS * Math.min(tries, 8));
      if (clock.now() >= by) throw failures.notDone('too many others ask for it at once');
    }
  }

  /** Does what one statement could not do: with the row that was missing, or together. Gives what settles it, if it is not settled. */
  async #otherwise(operation: Operation, seen: NotDone): Promise<(() => void) | undefined> {
    const { table, time } = this.ground;
    let answer: NotDone | (() => void) = seen;
    if (seen.row === undefined && operation.needsRow) {
      await table.create([this.resource], operation.by);
      answer = await operation.inOne!();
      if (typeof answer === 'function') return answer;
    }
    // Without a row there was no clock to read.
    if (answer.row !== undefined) time.learn(answer.nowUs);
    await this.#together([operation], answer.row === undefined ? undefined : answer);
    return undefined;
  }

  async #glance(by: number): Promise<Glance> {
    const { nowUs, rows } = await this.ground.table.read([this.resource], by);
    this.ground.time.learn(nowUs);
    return { nowUs, row: rows[0] };
  }

  /** What settles the batch; undefined when another process was faster. */
  async #swap(
    batch: readonly Operation[],
    { nowUs, row }: Glance,
    by: number,
  ): Promise<readonly Decision[] | undefined> {
    const { table, operationTimeoutMs } = this.ground;
    const place = new Place(this.resource, row, nowUs);
    const decisions = batch.map((operation) => operation.apply(place));
    if (!place.isChanged) return decisions;
    if (row === undefined) {
      await table.create([this.resource], by);
      return undefined;
    }
    // What is decided on an old row is no longer right after the time in which it is waited for.
    const bounds = decisions.map(({ notAfterUs }) => notAfterUs);
    const change = place.change(Math.min(nowUs + operationTimeoutMs * 1_000, ...bounds));
    return (await table.swap(change, by)) ? decisions : undefined;
  }

  /** Those whose time is not over, which they may have spent behind others. */
  #inTime(operations: Operation[]): Operation[] {
    const { clock, failures } = this.ground;
    const now = clock.now();
    return operations.filter((operation) => {
      if (operation.by > now) return true;
      operation.fail(failures.notDone('it waited too long for answers about the same resource'));
      return false;
    });
  }
}
