type Close = () => Promise<void>;

/** Resources to close in reverse order. A resource added after the closing is closed at once. */
export class Closer {
  readonly #open: Close[] = [];
  #closed: Promise<void> | undefined;

  get isClosed(): boolean {
    return this.#closed !== undefined;
  }

  add(close: Close): void {
    if (this.#closed === undefined) this.#open.push(close);
    else void close().catch(() => undefined);
  }

  /** @throws never; a failure does not keep the rest from being closed */
  close(): Promise<void> {
    return (this.#closed ??= this.#closeAll());
  }

  async #closeAll(): Promise<void> {
    for (const close of this.#open.reverse()) await close().catch(() => undefined);
  }
}
