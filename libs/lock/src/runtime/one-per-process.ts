/**
 * A value that every copy of this package in the process shares. Two can meet: the ES module and
 * the CommonJS build (see docs/compatibility.md), or two versions. Give the value a new name when
 * its shape changes.
 */
export function onePerProcess<T extends object>(name: string, create: () => T): T {
  const registry = globalThis as { [key: symbol]: T | undefined };
  return (registry[Symbol.for(`bedrock-lock.${name}`)] ??= create());
}
