import 'reflect-metadata';

/** One value per method of a prototype, without values of inherited methods. */
export class MethodMetadata<V> {
  // Reflect metadata rather than a local map: a second copy of the package must see the same values.
  readonly #metadataKey: string;

  constructor(metadataKey: string) {
    this.#metadataKey = metadataKey;
  }

  of(prototype: object): ReadonlyMap<string | symbol, V> {
    return this.#own(prototype) ?? new Map<string | symbol, V>();
  }

  set(prototype: object, key: string | symbol, value: V): void {
    const known = this.#own(prototype);
    if (known !== undefined) known.set(key, value);
    else Reflect.defineMetadata(this.#metadataKey, new Map([[key, value]]), prototype);
  }

  #own(prototype: object): Map<string | symbol, V> | undefined {
    return Reflect.getOwnMetadata(this.#metadataKey, prototype) as Map<string | symbol, V> | undefined;
  }
}

/** `Orders.place()`, for messages. */
export function methodLabel(prototype: object, key: string | symbol): string {
  return `${prototype.constructor.name}.${String(key)}()`;
}
