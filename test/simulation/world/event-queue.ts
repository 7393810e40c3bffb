/** Order of events at one instant: as in Node, timers come before received data. */
export const PHASE = { timer: 0, message: 1, poll: 2 } as const;

export interface WorldEvent {
  /** World time, ms. */
  at: number;
  readonly phase: number;
  /** When it was due at first: what was held up keeps its order. */
  readonly due: number;
  readonly number: number;
  readonly run: () => void;
  /** Where it happens; undefined for the network. */
  readonly host: EventHost | undefined;
  isCancelled: boolean;
}

/** Where something happens, which may be dead or stopped just then. */
export interface EventHost {
  /** What happens here may set off promises and ticks. */
  readonly runsCode: boolean;
  readonly isDead: boolean;
  /** World time, ms. */
  readonly stoppedUntil: number;
  /** Called when all that the event has set off has happened. */
  settled(): void;
}

function isBefore(a: WorldEvent, b: WorldEvent): boolean {
  if (a.at !== b.at) return a.at < b.at;
  if (a.phase !== b.phase) return a.phase < b.phase;
  return a.due === b.due ? a.number < b.number : a.due < b.due;
}

/** Future events, the next first: a binary heap. */
export class EventQueue {
  readonly #heap: WorldEvent[] = [];

  get next(): WorldEvent | undefined {
    return this.#heap[0];
  }

  push(event: WorldEvent): void {
    const heap = this.#heap;
    let at = heap.push(event) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isBefore(event, heap[parent]!)) break;
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = event;
  }

  pop(): WorldEvent | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (last === undefined || last === first) return first;
    let at = 0;
    for (let child = 1; child < heap.length; child = at * 2 + 1) {
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child += 1;
      if (!isBefore(heap[child]!, last)) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = last;
    return first;
  }
}
