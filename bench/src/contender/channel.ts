/** Messages between a role and the bench. They arrive in order, and none is sent during a measurement. */
export interface Channel {
  send(word: unknown): void;
  receive(): Promise<unknown>;
  /** Reports the end of the warm-up, and waits for the start. */
  ready(): Promise<void>;
}

/** One end of a channel. It keeps messages until they are received. */
export class WordChannel implements Channel {
  readonly #received: unknown[] = [];
  #listener: ((word: unknown) => void) | undefined;

  constructor(private readonly transmit: (word: unknown) => void) {}

  send(word: unknown): void {
    this.transmit(word);
  }

  receive(): Promise<unknown> {
    if (this.#received.length > 0) return Promise.resolve(this.#received.shift());
    return new Promise((resolve) => (this.#listener = resolve));
  }

  async ready(): Promise<void> {
    this.send('ready');
    await this.receive();
  }

  arrived(word: unknown): void {
    const listener = this.#listener;
    this.#listener = undefined;
    if (listener === undefined) this.#received.push(word);
    else listener(word);
  }
}
