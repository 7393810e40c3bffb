import { WRONGTYPE, type Refusal } from './reply.js';
import { SortedSet } from './sorted-set.js';

/** What a key holds. */
export interface Values {
  string: string;
  hash: Map<string, string>;
  list: string[];
  zset: SortedSet;
}

export type ValueType = keyof Values;

interface Entry {
  readonly type: ValueType;
  value: Values[ValueType];
  /** Epoch ms of the server. */
  expiresAt: number;
}

/** A refused command. */
export class CommandError extends Error {
  constructor(readonly refusal: Refusal) {
    super(refusal.text);
  }
}

/** The keys of a server. What has expired by its clock is gone. */
export class Keyspace {
  #entries = new Map<string, Entry>();
  /** Epoch ms by the clock of the server, whole: what ends are counted from. */
  now = 0;
  /** The time when the command, or the script, began: expiry is judged by it. */
  began = 0;

  #live(key: string): Entry | undefined {
    const entry = this.#entries.get(key);
    // In the very millisecond of its expiry a key is still there.
    if (entry === undefined || this.began <= entry.expiresAt) return entry;
    this.#entries.delete(key);
    return undefined;
  }

  typeOf(key: string): ValueType | undefined {
    return this.#live(key)?.type;
  }

  /** @throws CommandError for a key of another type */
  find<T extends ValueType>(key: string, type: T): Values[T] | undefined {
    const entry = this.#live(key);
    if (entry === undefined) return undefined;
    if (entry.type !== type) throw new CommandError(WRONGTYPE);
    return entry.value as Values[T];
  }

  /** @throws CommandError for a key of another type */
  findOrMake<T extends Exclude<ValueType, 'string'>>(key: string, type: T): Values[T] {
    const found = this.find(key, type);
    if (found !== undefined) return found;
    const made = (type === 'hash' ? new Map() : type === 'list' ? [] : new SortedSet()) as Values[T];
    this.#entries.set(key, { type, value: made, expiresAt: Infinity });
    return made;
  }

  /** Writes a string; whatever was there is gone. @param expiresAt undefined keeps the end that the key has */
  write(key: string, value: string, expiresAt: number | undefined = Infinity): void {
    this.#entries.set(key, { type: 'string', value, expiresAt });
  }

  /** Changes a string, which keeps its end. */
  rewrite(key: string, value: string): void {
    this.write(key, value, this.#live(key)?.expiresAt);
  }

  remove(key: string): boolean {
    return this.#live(key) !== undefined && this.#entries.delete(key);
  }

  /** A hash, list or zset without anything in it is no key. */
  dropIfEmpty(key: string): void {
    const value = this.#live(key)?.value;
    if (value === undefined || typeof value === 'string') return;
    if ((Array.isArray(value) ? value.length : value.size) === 0) this.#entries.delete(key);
  }

  /** Epoch ms; Infinity without an end, undefined without the key. */
  endOf(key: string): number | undefined {
    return this.#live(key)?.expiresAt;
  }

  /** False without the key. An end that is over deletes it. */
  expireAt(key: string, at: number): boolean {
    const entry = this.#live(key);
    if (entry === undefined) return false;
    if (at <= this.now) this.#entries.delete(key);
    else entry.expiresAt = at;
    return true;
  }

  persist(key: string): void {
    const entry = this.#live(key);
    if (entry !== undefined) entry.expiresAt = Infinity;
  }

  keys(): string[] {
    return [...this.#entries.keys()].filter((key) => this.#live(key) !== undefined);
  }

  clear(): void {
    this.#entries.clear();
  }

  /** What a snapshot on disk would have. */
  copy(): Keyspace {
    const copy = new Keyspace();
    copy.now = this.now;
    copy.began = this.began;
    for (const [key, { type, value, expiresAt }] of this.#entries) {
      const own =
        typeof value === 'string'
          ? value
          : value instanceof Map
            ? new Map(value)
            : Array.isArray(value)
              ? [...value]
              : value.copy();
      copy.#entries.set(key, { type, value: own, expiresAt });
    }
    return copy;
  }
}
