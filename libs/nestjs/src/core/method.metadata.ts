import 'reflect-metadata';

/** A value per method of one prototype, without those of the prototypes above it. */
export class MethodMetadata<V> {
  // Reflect metadata and no map of this module: a second copy of the package must see the same.
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
