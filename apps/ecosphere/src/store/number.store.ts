/**
 * Numbers that several flows or processes share, with nothing that would protect them: a read, then a write. What the
 * locks of the scenarios are for.
 */
export abstract class NumberStore {
  /** 0 for a number that nobody wrote. */
  abstract read(name: string): Promise<number>;
  abstract write(name: string, value: number): Promise<void>;
  abstract remove(name: string): Promise<void>;
}
