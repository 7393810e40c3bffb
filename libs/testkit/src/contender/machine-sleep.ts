/**
 * Gives a stopped process (SIGSTOP) the view of a suspended machine: its monotonic clock and its timers have stopped,
 * the wall clock has continued. Import it before any module that keeps the system's functions.
 */
const { performance } = globalThis;
const monotonic = performance.now.bind(performance);
const systemSetTimeout = globalThis.setTimeout;
const systemClearTimeout = globalThis.clearTimeout;

/** Interval of clock checks, in ms; a gap above `GAP_MS` was a sleep. */
const LOOK_MS = 5;
const GAP_MS = 80;

let sleptMs = 0;
let lastLook = 0;
let onWake: (ms: number) => void = () => undefined;
/** Timers that fired while the machine slept, each with its replacement. */
const later = new WeakMap<object, NodeJS.Timeout>();

/** From now on, this process sleeps when it is stopped. @param woken called with the duration of each sleep, in ms */
export function sleepWhenStopped(woken: (ms: number) => void): void {
  onWake = woken;
}

function now(): number {
  const at = monotonic();
  const gapMs = at - lastLook;
  lastLook = at;
  if (gapMs > GAP_MS) {
    sleptMs += gapMs;
    onWake(gapMs);
  }
  return at - sleptMs;
}

function install(): void {
  lastLook = monotonic();
  performance.now = now;
  setInterval(now, LOOK_MS).unref();
  const patched = (callback: (...args: unknown[]) => void, ms = 0, ...args: unknown[]): NodeJS.Timeout => {
    const dueAt = now() + ms;
    const fire = (): void => {
      const restMs = dueAt - now();
      if (restMs <= 1) return callback(...args);
      const rest = systemSetTimeout(fire, restMs);
      if (!timer.hasRef()) rest.unref();
      later.set(timer, rest);
    };
    const timer = systemSetTimeout(fire, ms);
    return timer;
  };
  globalThis.setTimeout = Object.assign(patched, {
    __promisify__: systemSetTimeout.__promisify__,
  }) as typeof setTimeout;
  globalThis.clearTimeout = (timer) => {
    if (typeof timer === 'object') systemClearTimeout(later.get(timer));
    systemClearTimeout(timer);
  };
}

const { job } = JSON.parse(process.argv[2] ?? '{}') as { job?: { naps?: unknown } };
if (job?.naps !== undefined) install();
