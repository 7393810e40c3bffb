/**
 * Numbers that several flows or processes share without protection: a read, then a write. The locks of the scenarios
 * protect them.
 */
export abstract class NumberStore {
  /** 0 for a number that was never written. */
  abstract read(name: string): Promise<number>;
  abstract write(name: string, value: number): Promise<void>;
  abstract remove(name: string): Promise<void>;
}
