/** Members with scores, in the order of both. */
export class SortedSet {
  readonly #scores = new Map<string, number>();
  #order: string[] | undefined;

  get size(): number {
    return this.#scores.size;
  }

  score(member: string): number | undefined {
    return this.#scores.get(member);
  }

  set(member: string, score: number): void {
    this.#scores.set(member, score);
    this.#order = undefined;
  }

  delete(member: string): boolean {
    this.#order = undefined;
    return this.#scores.delete(member);
  }

  /** From the smallest score on; those of one score by their bytes. */
  get members(): readonly string[] {
    this.#order ??= [...this.#scores.keys()].sort(
      (a, b) => this.#scores.get(a)! - this.#scores.get(b)! || (a < b ? -1 : 1),
    );
    return this.#order;
  }

  copy(): SortedSet {
    const copy = new SortedSet();
    for (const [member, score] of this.#scores) copy.set(member, score);
    return copy;
  }
}
