/** Passes one call, or applies a fault to it. */
export type CallInterceptor = (
  verb: string,
  input: readonly unknown[],
  act: () => Promise<unknown>,
) => Promise<unknown>;

/** A driver whose verbs pass through `intercept`, and whose wakes pass through `deliver`. */
export function faultyDriver<D extends object>(
  driver: D,
  intercept: CallInterceptor,
  deliver: (wake: () => void) => () => void,
): D {
  return new Proxy(driver, {
    get(target, name): unknown {
      const verb: unknown = Reflect.get(target, name);
      if (typeof verb !== 'function') return verb;
      return (...input: unknown[]): Promise<unknown> => {
        const args = input.map((arg) => (typeof arg === 'function' ? deliver(arg as () => void) : arg));
        return intercept(String(name), input, () => Reflect.apply(verb, target, args) as Promise<unknown>);
      };
    },
  });
}
