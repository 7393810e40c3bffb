// Taken when the module loads, so that fake timers installed later cannot stop anything.
const enqueueTick = process.nextTick.bind(process);
const enqueueMicrotask = queueMicrotask;

/** Calls back after the microtasks of this turn, so that all that one answer has set going is gathered by then. */
export function afterTurn(callback: () => void): void {
  enqueueMicrotask(() => enqueueTick(callback));
}
