/** What can tell that it has ended: a socket, an HTTP response, a WebSocket, a gRPC call. */
export interface Connection {
  once(event: string, listener: () => void): unknown;
  removeListener(event: string, listener: () => void): unknown;
  readonly destroyed?: boolean;
  /** Of a WebSocket a number: 2 is closing, 3 closed. */
  readonly readyState?: unknown;
  /** Of socket.io. */
  readonly connected?: boolean;
  /** Of a gRPC call. */
  readonly cancelled?: boolean;
}

/** socket.io says `disconnect`, a gRPC call `cancelled`, everything else `close`. */
const ENDS = ['close', 'disconnect', 'cancelled'];

const watched = new WeakMap<Connection, Set<() => void>>();

export function isConnection(value: unknown): value is Connection {
  const { once, removeListener } = (value ?? {}) as Partial<Connection>;
  return typeof once === 'function' && typeof removeListener === 'function';
}

export function isEnded({ destroyed, readyState, connected, cancelled }: Connection): boolean {
  const isClosing = typeof readyState === 'number' && readyState >= 2;
  return destroyed === true || isClosing || connected === false || cancelled === true;
}

/**
 * Calls back when the connection ends; gives back the removal. A connection gets one listener however many handlers wait
 * on it: a client may send a hundred messages, and a listener for each would end in a warning about a leak.
 */
export function onEnd(connection: Connection, callback: () => void): () => void {
  const callbacks = watched.get(connection) ?? watch(connection);
  callbacks.add(callback);
  return () => {
    if (callbacks.delete(callback) && callbacks.size === 0) unwatch(connection, callbacks);
  };
}

const listeners = new WeakMap<ReadonlySet<() => void>, () => void>();

function watch(connection: Connection): Set<() => void> {
  const callbacks = new Set<() => void>();
  const listener = (): void => {
    unwatch(connection, callbacks);
    for (const callback of [...callbacks]) callback();
  };
  watched.set(connection, callbacks);
  listeners.set(callbacks, listener);
  for (const end of ENDS) connection.once(end, listener);
  return callbacks;
}

function unwatch(connection: Connection, callbacks: ReadonlySet<() => void>): void {
  if (watched.get(connection) === callbacks) watched.delete(connection);
  for (const end of ENDS) connection.removeListener(end, listeners.get(callbacks)!);
}
