interface SignalListeners {
  readonly callbacks: Set<() => void>;
  readonly stop: () => void;
}

const listenersOf = new WeakMap<AbortSignal, SignalListeners>();

/**
 * Calls back when the signal aborts; gives back the removal. A signal gets one listener however
 * many callers wait with it: one for each would end in a warning about a leak.
 */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  const { callbacks, stop } = listenersOf.get(signal) ?? listenTo(signal);
  callbacks.add(callback);
  return () => {
    if (callbacks.delete(callback) && callbacks.size === 0) stop();
  };
}

function listenTo(signal: AbortSignal): SignalListeners {
  const callbacks = new Set<() => void>();
  const abort = (): void => {
    listenersOf.delete(signal);
    for (const callback of [...callbacks]) callback();
  };
  const stop = (): void => {
    listenersOf.delete(signal);
    signal.removeEventListener('abort', abort);
  };
  const listening = { callbacks, stop };
  listenersOf.set(signal, listening);
  signal.addEventListener('abort', abort, { once: true });
  return listening;
}

/**
 * Acts with a signal that aborts with either of two. Not `AbortSignal.any`: that would keep something on a long-lived
 * signal for every call.
 */
export async function withEitherSignal<T>(
  one: AbortSignal,
  other: AbortSignal | undefined,
  act: (either: AbortSignal) => Promise<T>,
): Promise<T> {
  if (other === undefined) return act(one);
  const either = new AbortController();
  const removals = [one, other].map((signal) => {
    if (signal.aborted) either.abort(signal.reason);
    return onAbort(signal, () => either.abort(signal.reason));
  });
  try {
    return await act(either.signal);
  } finally {
    for (const remove of removals) remove();
  }
}
