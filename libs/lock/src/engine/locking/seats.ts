import type { NodeHouse } from '../../core/ports/node.js';
import { SmallMap } from '../../runtime/small-map.js';
import type { Terms } from '../../core/options/options.js';
import type { Hold } from '../holding/hold.js';
import { Seat, type Crowd, type SeatHouse } from './seat.js';
import type { WaitingRoom } from '../waiting/waiting-room.js';

/** All seats of an engine: one per resource, or one per caller where they are served in order of arrival over processes. */
export class Seats implements SeatHouse {
  readonly #seats = new SmallMap<string, Seat>();
  readonly #crowds = new Map<string, Crowd>();
  #onEmpty: (() => void) | undefined;

  constructor(
    readonly room: WaitingRoom,
    /** Asks for the head of a seat, if that may be in vain no more. */
    private readonly onResume: (seat: Seat) => void,
  ) {}

  /** Resources that are held or waited for here. */
  get size(): number {
    return this.#seats.size + this.#crowds.size;
  }

  /** True when a caller of this process holds the resource or waits for it. */
  has(resource: string): boolean {
    return this.#seats.has(resource) || this.#crowds.has(resource);
  }

  /** True when a caller of this process holds the resource. */
  isHeld(resource: string): boolean {
    return this.#seats.get(resource)?.isHolding === true || isHeldIn(this.#crowds.get(resource));
  }

  /** The seat that all callers share. */
  of(resource: string): Seat {
    let seat = this.#seats.get(resource);
    if (seat === undefined) {
      seat = new Seat(resource, this);
      this.#seats.set(resource, seat);
    }
    return seat;
  }

  /** A seat for one caller. */
  alone(resource: string): Seat {
    let crowd = this.#crowds.get(resource);
    if (crowd === undefined) {
      crowd = { seats: new Set(), waiting: 0 };
      this.#crowds.set(resource, crowd);
    }
    const seat = new Seat(resource, this, crowd);
    crowd.seats.add(seat);
    return seat;
  }

  /** Wakes all who wait when a node comes or goes: another may be in the way then, or enough of them serve again. */
  follow(nodes: NodeHouse | undefined): () => void {
    const stop = nodes?.onChange(({ kind }) => {
      if (kind !== 'thinned') this.#wakeAll();
    });
    return () => stop?.();
  }

  *holds(): Generator<Hold> {
    for (const seat of this.#seats.values()) yield* seat.holds;
    for (const { seats } of this.#crowds.values()) for (const seat of seats) yield* seat.holds;
  }

  /** Resolves when there is none: nothing is held, waited for or asked. */
  async whenEmpty(): Promise<void> {
    if (this.size > 0) await new Promise<void>((done) => (this.#onEmpty = done));
  }

  /** @internal */
  resume(seat: Seat): void {
    this.onResume(seat);
  }

  /** @internal */
  dropSeat(seat: Seat): void {
    const { resource, crowd } = seat;
    if (crowd === undefined) {
      if (this.#seats.get(resource) === seat) this.#seats.delete(resource);
    } else if (crowd.seats.delete(seat) && crowd.seats.size === 0) this.#crowds.delete(resource);
    if (this.size === 0) this.#onEmpty?.();
  }

  #wakeAll(): void {
    for (const seat of this.#seats.values()) if (seat.isContending) seat.wake();
    for (const { seats } of this.#crowds.values())
      for (const seat of seats) if (seat.isContending) seat.wake();
  }
}

function isHeldIn(crowd: Crowd | undefined): boolean {
  if (crowd !== undefined) for (const { isHolding } of crowd.seats) if (isHolding) return true;
  return false;
}

/** What is held, or asked for by others before, is not to be had at once. */
export function isBusy(seat: Seat, terms: Terms): boolean {
  const { crowd } = seat;
  if (crowd !== undefined) return crowd.waiting > 0 || isHeldIn(crowd);
  // Where several fit beside each other, those ahead may be served with this one, unless they wait already.
  const areWaiting = seat.waiting > 0 && (terms.shape.mode === 'exclusive' || seat.isPutOff);
  return areWaiting || seat.isFullFor(terms);
}
