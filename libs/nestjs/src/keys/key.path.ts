import { InvalidOptionError, type KeyPart } from 'bedrock-lock';

/**
 * Splits `path.to.prop` into its property names.
 * @throws InvalidOptionError naming `field`
 */
export function parsePath(field: string, path: string): readonly string[] {
  const names = path.split('.');
  if (names.includes('') || names.includes('__proto__')) {
    throw new InvalidOptionError(field, 'property names joined by dots, none of them __proto__', path);
  }
  return names;
}

/** A property of an argument. */
export interface ArgumentPath {
  /** The option or parameter that names it, for errors. */
  readonly field: string;
  readonly index: number;
  readonly names: readonly string[];
  /** The option that can read the value with a function instead, for errors. */
  readonly alternative: string;
}

/**
 * Follows own properties only: an inherited value is not the caller's data. Undefined if the path ends early.
 * @throws InvalidOptionError naming the field if a prototype has the property
 */
export function readPath(args: readonly unknown[], path: ArgumentPath): unknown {
  let value = args[path.index];
  for (const name of path.names) {
    if (typeof value !== 'object' || value === null) return undefined;
    if (!Object.hasOwn(value, name)) {
      if (!(name in value)) return undefined;
      const requirement = `a path of own properties; "${name}" is a getter or inherited: ${path.alternative}, (...args) => ${expressionOf(path)}`;
      throw new InvalidOptionError(path.field, requirement, undefined);
    }
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}

function expressionOf({ index, names }: ArgumentPath): string {
  const accessors = names.map((name) =>
    /^[A-Za-z_$][\w$]*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`,
  );
  return `args[${index}]${accessors.join('')}`;
}

/**
 * Accepts a value that may be part of a key. Objects are refused, never stringified: all of them would share the lock
 * `[object Object]`.
 * @throws InvalidOptionError naming `field`
 */
export function checkKeyPart(field: string, value: unknown): KeyPart {
  if (
    typeof value === 'string'
      ? value !== ''
      : typeof value === 'bigint' || typeof value === 'boolean' || Number.isFinite(value)
  ) {
    return value as KeyPart;
  }
  throw new InvalidOptionError(field, 'a non-empty string, finite number, bigint or boolean', value);
}
