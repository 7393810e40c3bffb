interface Listening {
  readonly callbacks: Set<() => void>;
  readonly stop: () => void;
}

const listenings = new WeakMap<AbortSignal, Listening>();

/**
 * Calls back when the signal aborts; gives back the removal. A signal gets one listener however many callers wait with it:
 * one for each would end in a warning about a leak.
 */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  const { callbacks, stop } = listenings.get(signal) ?? listenTo(signal);
  callbacks.add(callback);
  return () => {
    if (callbacks.delete(callback) && callbacks.size === 0) stop();
  };
}

function listenTo(signal: AbortSignal): Listening {
  const callbacks = new Set<() => void>();
  const abort = (): void => {
    listenings.delete(signal);
    for (const callback of [...callbacks]) callback();
  };
  const stop = (): void => {
    listenings.delete(signal);
    signal.removeEventListener('abort', abort);
  };
  const listening = { callbacks, stop };
  listenings.set(signal, listening);
  signal.addEventListener('abort', abort, { once: true });
  return listening;
}
