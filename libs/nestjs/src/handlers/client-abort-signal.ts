import { systemClock } from 'bedrock-lock';
import { isClosed, onClose } from './connection-close.js';
import type { HandlerClient } from './handler.client.js';

type AbortListener = () => void;

/** A wait that is over sooner costs no listener on the connection. */
const WATCH_AFTER_MS = 5;

/**
 * Aborts when the client of a handler goes away while the handler runs. As much of an AbortSignal as a wait asks for: a real
 * one costs more than a lock that is free.
 */
export class ClientAbortSignal {
  readonly #client: HandlerClient | undefined;
  readonly #listeners = new Set<AbortListener>();
  #stopWatching: (() => void) | undefined;
  #reason: Error | undefined;
  #isOver = false;

  constructor(client: HandlerClient | undefined) {
    this.#client = client;
  }

  get aborted(): boolean {
    if (!this.#isOver && this.#client?.connections.some(isClosed) === true) this.#onClosed();
    return this.#reason !== undefined;
  }

  get reason(): Error | undefined {
    return this.#reason;
  }

  addEventListener(_abort: 'abort', listener: AbortListener): void {
    this.#listeners.add(listener);
    if (this.#stopWatching === undefined && this.#client !== undefined) watchSoon(this);
  }

  removeEventListener(_abort: 'abort', listener: AbortListener): void {
    this.#listeners.delete(listener);
  }

  abort(reason: Error): void {
    if (this.#isOver) return;
    this.close();
    this.#reason = reason;
    for (const listener of [...this.#listeners]) listener();
    this.#listeners.clear();
  }

  /** Listens to the connection if something still waits. */
  watch(): void {
    if (this.#isOver || this.#listeners.size === 0 || this.#stopWatching !== undefined || this.aborted)
      return;
    const stops =
      this.#client?.connections.map((connection) => onClose(connection, () => this.#onClosed())) ?? [];
    this.#stopWatching = () => {
      for (const stop of stops) stop();
    };
  }

  /** From now on nobody is told: the handler has ended. */
  close(): void {
    this.#isOver = true;
    this.#stopWatching?.();
    this.#stopWatching = undefined;
  }

  /** For what takes a signal and asks for no more than this class has. */
  asSignal(): AbortSignal {
    return this as Pick<AbortSignal, 'aborted' | 'reason'> as AbortSignal;
  }

  #onClosed(): void {
    if (this.#client?.isAnswered() === false) this.abort(new Error('the client has disconnected'));
  }
}

const unwatched = new Set<ClientAbortSignal>();

/** One timer for all that begin to wait meanwhile. */
function watchSoon(signal: ClientAbortSignal): void {
  if (unwatched.size === 0) systemClock.setTimer(watchAll, WATCH_AFTER_MS);
  unwatched.add(signal);
}

function watchAll(): void {
  const due = [...unwatched];
  unwatched.clear();
  for (const signal of due) signal.watch();
}
