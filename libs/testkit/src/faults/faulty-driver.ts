/** Lets one call through, or makes it suffer a fault. */
export type PassOn = (
  verb: string,
  input: readonly unknown[],
  act: () => Promise<unknown>,
) => Promise<unknown>;

/** A driver whose verbs go through `passOn`, and whose wakes go through `hear`. */
export function faultyDriver<D extends object>(
  driver: D,
  passOn: PassOn,
  hear: (wake: () => void) => () => void,
): D {
  return new Proxy(driver, {
    get(target, name): unknown {
      const verb: unknown = Reflect.get(target, name);
      if (typeof verb !== 'function') return verb;
      return (...input: unknown[]): Promise<unknown> => {
        const args = input.map((arg) => (typeof arg === 'function' ? hear(arg as () => void) : arg));
        return passOn(String(name), input, () => Reflect.apply(verb, target, args) as Promise<unknown>);
      };
    },
  });
}
