/** What stands for the names beyond the limit. */
const OTHER = 'other';

/**
 * Bounds the names of locks in metrics: a name that is made of data, such as `mutex('order:' + id)`, would make a series for
 * each value. The first `max` names stay; the others share one, with one warning.
 */
export class NameLimit {
  readonly #known = new Set<string>();
  #hasWarned = false;

  constructor(private readonly max: number) {}

  of(name: string): string {
    // A stall, and a request for several locks, have no name.
    if (name === '' || this.#known.has(name)) return name;
    if (this.#known.size < this.max) {
      this.#known.add(name);
      return name;
    }
    if (!this.#hasWarned) this.#warn(name);
    return OTHER;
  }

  #warn(name: string): void {
    this.#hasWarned = true;
    const advice = 'give locks few names and narrow them by key: mutex("order").for(id)';
    process.emitWarning(
      `more than ${this.max} locks have names of their own, such as "${name.slice(0, 60)}"; metrics call the others "${OTHER}": ${advice}`,
      { type: 'BedrockWarning', code: 'BEDROCK_METRIC_NAMES' },
    );
  }
}
