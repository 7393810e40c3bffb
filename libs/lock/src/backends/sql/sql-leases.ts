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
import type { KnownRows } from './rows/known-rows.js';
import { Lane, type LaneGround, type Operation } from './rows/lane.js';
import {
  claimOperation,
  placeOperation,
  renewOperation,
  withdrawOperation,
  type Asker,
  type OperationGround,
} from './rows/operations.js';
import { lifeUsOf, Place, processOf } from './rows/place.js';
import type { ProcessRows } from './rows/process-rows.js';
import type { Grant } from './rows/row-format.js';

export interface LeasesGround extends LaneGround {
  readonly processId: string;
  readonly rows: KnownRows;
  readonly processes: ProcessRows;
  /** Without it the engine asks again by itself. */
  readonly watch?: ((resource: string, waker: Waker) => Promise<Unsubscribe>) | undefined;
}

/** Renewals in one statement, at most. */
const RENEWALS_AT_ONCE = 256;
/** Lanes that are kept though they are idle, at least: what is made for each question is work for the collector. */
const FEW_LANES = 64;

/** The verbs on rows of a database. What is asked about one resource goes in order, in its lane. */
export class SqlLeases implements LeaseDriver {
  readonly #lanes = new Map<string, Lane>();
  /** Lanes from which on the idle ones are forgotten. */
  #manyLanes = FEW_LANES;
  readonly #operations: OperationGround;
  readonly #underWay = new InFlight();

  constructor(private readonly ground: LeasesGround) {
    const { time, processId } = ground;
    const viewOf = (grant: Grant, nowUs: number): HolderView => this.#holderOf(grant, nowUs);
    this.#operations = { time, processId, viewOf };
  }

  claim(claim: Claim): Promise<Verdict> {
    const { clock, processes, rows } = this.ground;
    processes.sign();
    rows.used(claim.resource);
    // What is late here is late there.
    if (clock.now() > claim.notAfter) return Promise.resolve({ kind: 'stale' });
    return this.#do(claim.resource, (asker: Asker<Verdict>) =>
      claimOperation(claim, this.#operations, this.ground.table, asker),
    );
  }

  async renew(held: readonly HeldRef[]): Promise<readonly RenewOutcome[]> {
    this.ground.processes.sign();
    const batches: Promise<readonly RenewOutcome[]>[] = [];
    for (let at = 0; at < held.length; at += RENEWALS_AT_ONCE) {
      batches.push(this.#renewBatch(held.slice(at, at + RENEWALS_AT_ONCE)));
    }
    return (await Promise.all(batches)).flat();
  }

  withdraw(ref: ClaimRef, options: WithdrawOptions): Promise<WithdrawOutcome> {
    this.ground.rows.used(ref.resource);
    return this.#do(ref.resource, (asker: Asker<WithdrawOutcome>) =>
      withdrawOperation(ref, options, this.#operations, this.ground.table, asker),
    );
  }

  annotate(ref: ClaimRef, { depth }: { readonly depth: number }): void {
    const noted = this.#do(ref.resource, (asker: Asker<void>) =>
      placeOperation(asker, (place) => place.annotate(ref.id, depth)),
    );
    noted.catch(() => undefined);
  }

  async inspect(resource: string): Promise<readonly ClaimView[]> {
    const { table, processes, time } = this.ground;
    const by = this.#by();
    const { nowUs, rows } = await table.read([resource], by);
    time.learn(nowUs);
    const grants = rows.flatMap((row) => [...new Place(resource, row, nowUs).grants]);
    await processes.find(
      grants.map(({ id }) => processOf(id)),
      by,
    );
    return grants.map((grant) => {
      const { mode, units, depth, revoked } = grant;
      return { ...this.#holderOf(grant, nowUs), resource, mode, units, depth, revoked };
    });
  }

  revoke(resource: string, _shape: Shape, how: 'atExpiry' | 'now'): Promise<boolean> {
    return this.#do(resource, (asker: Asker<boolean>) => placeOperation(asker, (place) => place.revoke(how)));
  }

  async watch(resource: string, _shape: Shape, waker: Waker): Promise<Unsubscribe> {
    return (await this.ground.watch?.(resource, waker)) ?? (() => undefined);
  }

  /** Resolves when all that was asked before is answered; each answer comes in its time. */
  settled(): Promise<void> {
    return this.#underWay.whenSettled();
  }

  /** One statement for the grants that have a row for themselves; the others are decided one by one. */
  async #renewBatch(held: readonly HeldRef[]): Promise<readonly RenewOutcome[]> {
    const by = this.#by();
    const isWhole = held.map(({ shape }) => shape.mode === 'exclusive');
    const prolongs = held
      .filter((_, at) => isWhole[at])
      .map(({ resource, id, leaseMs, keepMs }) => ({
        resource,
        id,
        lifeUs: lifeUsOf(Math.max(leaseMs, keepMs)),
      }));
    try {
      const renewed = prolongs.length === 0 ? [] : await this.ground.table.prolong(prolongs, by);
      let next = 0;
      const done = isWhole.map((is) => is && renewed[next++] === true);
      return await Promise.all(
        held.map(async (ref, at) => (done[at] ? 'renewed' : this.#renewAlone(ref, by))),
      );
    } catch {
      return held.map(() => 'unknown');
    }
  }

  #renewAlone(held: HeldRef, by: number): Promise<RenewOutcome> {
    const renewal = this.#do(held.resource, (asker: Asker<RenewOutcome>) => renewOperation(held, asker), by);
    return renewal.catch(() => 'unknown');
  }

  #do<T>(resource: string, operationOf: (asker: Asker<T>) => Operation, by = this.#by()): Promise<T> {
    const round = this.#underWay.begin();
    return new Promise<T>((resolve, reject) => {
      const asker: Asker<T> = {
        by,
        resolve: (answer) => (round.end(), resolve(answer)),
        reject: (error: Error) => (round.end(), reject(error)),
      };
      this.#laneOf(resource).add(operationOf(asker));
    });
  }

  #laneOf(resource: string): Lane {
    const known = this.#lanes.get(resource);
    if (known !== undefined) return known;
    if (this.#lanes.size >= this.#manyLanes) this.#forgetIdleLanes();
    const lane = new Lane(resource, this.ground);
    this.#lanes.set(resource, lane);
    return lane;
  }

  /** So seldom that it costs a new lane next to nothing. */
  #forgetIdleLanes(): void {
    for (const [resource, lane] of this.#lanes) if (lane.isIdle) this.#lanes.delete(resource);
    this.#manyLanes = Math.max(FEW_LANES, 2 * this.#lanes.size);
  }

  #by(): number {
    return this.ground.clock.now() + this.ground.operationTimeoutMs;
  }

  #holderOf({ id, untilUs }: Grant, nowUs: number): HolderView {
    const process = this.ground.processes.known(processOf(id));
    return { id, remainingMs: (untilUs - nowUs) / 1_000, ...(process !== undefined && { process }) };
  }
}
