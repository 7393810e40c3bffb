import { systemClock } from 'bedrock-lock/integration';
import { isClosed, onClose } from './connection-close.js';
import type { HandlerClient } from './handler.client.js';

type AbortListener = () => void;

/** A wait that ends within this time costs no listener on the connection. */
const WATCH_AFTER_MS = 5;

/**
 * Aborts when the client of a running handler disconnects. Implements only the part of AbortSignal that a wait uses: a
 * real one costs more than acquiring a free lock.
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

  /** Listens to the connection if a waiter remains. */
  watch(): void {
    if (this.#isOver || this.#listeners.size === 0 || this.#stopWatching !== undefined || this.aborted)
      return;
    const stops =
      this.#client?.connections.map((connection) => onClose(connection, () => this.#onClosed())) ?? [];
    this.#stopWatching = () => {
      for (const stop of stops) stop();
    };
  }

  /** Notifies no listener from now on: the handler has ended. */
  close(): void {
    this.#isOver = true;
    this.#stopWatching?.();
    this.#stopWatching = undefined;
  }

  /** For callees that accept an AbortSignal and use only the members of this class. */
  asSignal(): AbortSignal {
    return this as Pick<AbortSignal, 'aborted' | 'reason'> as AbortSignal;
  }

  #onClosed(): void {
    if (this.#client?.isAnswered() === false) this.abort(new Error('the client has disconnected'));
  }
}

const unwatched = new Set<ClientAbortSignal>();

/** One timer for all waits that begin in the meantime. */
function watchSoon(signal: ClientAbortSignal): void {
  if (unwatched.size === 0) systemClock.setTimer(watchAll, WATCH_AFTER_MS);
  unwatched.add(signal);
}

function watchAll(): void {
  const due = [...unwatched];
  unwatched.clear();
  for (const signal of due) signal.watch();
}
