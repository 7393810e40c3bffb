/** A key that results are encrypted with. */
export interface SecretKey {
  /** Stored beside what it encrypted: 1 to 32 letters, digits, `-` and `_`. */
  readonly id: string;
  /** 32 bytes, for AES-256. */
  readonly secret: Uint8Array;
}

/** Keys that results are encrypted with, the newest first. Their bytes are never shown. */
export class SecretKeys {
  readonly #keys: readonly SecretKey[];

  constructor(keys: readonly SecretKey[]) {
    this.#keys = keys.map(({ id, secret }) => ({ id, secret: Uint8Array.from(secret) }));
  }

  /** The key that encrypts now; undefined without encryption. */
  get newest(): SecretKey | undefined {
    return this.#keys[0];
  }

  find(id: string | undefined): SecretKey | undefined {
    return this.#keys.find((key) => key.id === id);
  }

  /** The same keys in the same order. */
  equals(other: unknown): boolean {
    if (!(other instanceof SecretKeys) || other.#keys.length !== this.#keys.length) return false;
    return this.#keys.every(({ id, secret }, i) => {
      const one = other.#keys[i]!;
      return one.id === id && secret.every((byte, at) => one.secret[at] === byte);
    });
  }
}
