/** A connection that reports its end: a socket, an HTTP response, a WebSocket, a gRPC call. */
export interface ClientConnection {
  once(event: string, listener: () => void): unknown;
  removeListener(event: string, listener: () => void): unknown;
  readonly destroyed?: boolean;
  /** WebSocket: a number, 2 for closing and 3 for closed. */
  readonly readyState?: unknown;
  /** Present on socket.io. */
  readonly connected?: boolean;
  /** Present on gRPC calls. */
  readonly cancelled?: boolean;
}

/** socket.io emits `disconnect`, a gRPC call `cancelled`, all others `close`. */
const CLOSE_EVENTS = ['close', 'disconnect', 'cancelled'];

const watched = new WeakMap<ClientConnection, Set<() => void>>();

export function isConnection(value: unknown): value is ClientConnection {
  const { once, removeListener } = (value ?? {}) as Partial<ClientConnection>;
  return typeof once === 'function' && typeof removeListener === 'function';
}

export function isClosed({ destroyed, readyState, connected, cancelled }: ClientConnection): boolean {
  const isClosing = typeof readyState === 'number' && readyState >= 2;
  return destroyed === true || isClosing || connected === false || cancelled === true;
}

/**
 * Calls back when the connection ends; returns the removal. All handlers of a connection share one listener: a client
 * may send a hundred messages, and a listener for each would cause a leak warning.
 */
export function onClose(connection: ClientConnection, callback: () => void): () => void {
  const callbacks = watched.get(connection) ?? watch(connection);
  callbacks.add(callback);
  return () => {
    if (callbacks.delete(callback) && callbacks.size === 0) unwatch(connection, callbacks);
  };
}

const listeners = new WeakMap<ReadonlySet<() => void>, () => void>();

function watch(connection: ClientConnection): Set<() => void> {
  const callbacks = new Set<() => void>();
  const listener = (): void => {
    unwatch(connection, callbacks);
    for (const callback of [...callbacks]) callback();
  };
  watched.set(connection, callbacks);
  listeners.set(callbacks, listener);
  for (const end of CLOSE_EVENTS) connection.once(end, listener);
  return callbacks;
}

function unwatch(connection: ClientConnection, callbacks: ReadonlySet<() => void>): void {
  if (watched.get(connection) === callbacks) watched.delete(connection);
  for (const end of CLOSE_EVENTS) connection.removeListener(end, listeners.get(callbacks)!);
}
