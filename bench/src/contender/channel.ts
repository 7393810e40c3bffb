/** What a role has to talk to the bench: words that arrive in order, and none while something is measured. */
export interface Channel {
  send(word: unknown): void;
  receive(): Promise<unknown>;
  /** Tells that all is warm, and waits for the start. */
  ready(): Promise<void>;
}

/** The end of a channel. Words that nobody waits for yet are kept. */
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
