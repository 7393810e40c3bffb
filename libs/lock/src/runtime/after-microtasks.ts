// Taken when the module loads, so that fake timers installed later cannot stop anything.
const enqueueTick = process.nextTick.bind(process);
const SETTLED = Promise.resolve();

let due: (() => void)[] = [];

/**
 * Calls back after the microtasks of this turn, when all that one answer has started is gathered. Callbacks of the same
 * turn run in one tick, in order.
 */
export function afterMicrotasks(callback: () => void): void {
  if (due.push(callback) === 1) void SETTLED.then(tick);
}

function tick(): void {
  enqueueTick(callDue);
}

function callDue(): void {
  const callbacks = due;
  due = [];
  callAll(callbacks, afterMicrotasks);
}

/**
 * Acts once per turn, however often it is asked to. So requests that one answer has started are sent
 * together.
 */
export class OncePerTurn {
  #isScheduled = false;

  constructor(
    private readonly act: () => void,
    /** Calls back at the end of the turn. @default after its microtasks */
    private readonly later: (callback: () => void) => void = afterMicrotasks,
  ) {}

  schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.later(this.#run);
  }

  readonly #run = (): void => {
    this.#isScheduled = false;
    this.act();
  };
}

/** Calls each. One that throws takes nothing from those behind it, who are called later. */
export function callAll(callbacks: readonly (() => void)[], later: (callback: () => void) => void): void {
  let called = 0;
  try {
    for (const callback of callbacks) {
      called += 1;
      callback();
    }
  } finally {
    for (let i = called; i < callbacks.length; i += 1) later(callbacks[i]!);
  }
}
