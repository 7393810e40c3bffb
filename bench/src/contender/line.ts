/** What a role has to talk to the bench: words that arrive in order, and none while something is measured. */
export interface Line {
  say(word: unknown): void;
  hear(): Promise<unknown>;
  /** Tells that all is warm, and waits for the start. */
  ready(): Promise<void>;
}

/** The end of a line. Words that nobody waits for yet are kept. */
export class WordLine implements Line {
  readonly #heard: unknown[] = [];
  #listener: ((word: unknown) => void) | undefined;

  constructor(private readonly send: (word: unknown) => void) {}

  say(word: unknown): void {
    this.send(word);
  }

  hear(): Promise<unknown> {
    if (this.#heard.length > 0) return Promise.resolve(this.#heard.shift());
    return new Promise((resolve) => (this.#listener = resolve));
  }

  async ready(): Promise<void> {
    this.say('ready');
    await this.hear();
  }

  arrived(word: unknown): void {
    const listener = this.#listener;
    this.#listener = undefined;
    if (listener === undefined) this.#heard.push(word);
    else listener(word);
  }
}
