/** The locals of a block. Each gets a name of its own in JavaScript, so that shadowing is never in question. */
export class LuaScope {
  readonly #names = new Map<string, string>();

  constructor(
    private readonly parent: LuaScope | undefined,
    private readonly counter: { next: number },
  ) {}

  /** A scope with nothing around it. */
  static outermost(): LuaScope {
    return new LuaScope(undefined, { next: 0 });
  }

  inner(): LuaScope {
    return new LuaScope(this, this.counter);
  }

  declare(name: string): string {
    const own = this.fresh(name);
    this.#names.set(name, own);
    return own;
  }

  /** A name that nothing else has. */
  fresh(name: string): string {
    this.counter.next += 1;
    return `${name}$${this.counter.next}`;
  }

  find(name: string): string | undefined {
    return this.#names.get(name) ?? this.parent?.find(name);
  }
}
