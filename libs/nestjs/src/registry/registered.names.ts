import { InvalidOptionError } from 'bedrock-lock';
import { checkName } from 'bedrock-lock/integration';
import { DEFAULT_BACKEND } from '../core/lock.constants.js';

/** Identifies a registration. */
export interface NameLookup {
  readonly name: string;
  readonly backend?: string | undefined;
  /** Further fields that the registration should have, for the message if it is missing. */
  readonly [field: string]: string | undefined;
}

/** Registrations by name, each on one or several backends. */
export class RegisteredNames<T extends { readonly backend: string }> {
  readonly #byName = new Map<string, readonly T[]>();

  /** @param what the option that names a registration, and the list that registers it, for errors */
  constructor(private readonly what: { readonly option: string; readonly list: string }) {}

  /** Does nothing if the same entry exists. */
  add(name: string, entry: T, isSame: (other: T) => boolean): void {
    const known = this.#byName.get(name) ?? [];
    if (!known.some(isSame)) this.#byName.set(name, [...known, entry]);
  }

  /** @throws InvalidOptionError if it is not registered, or registered on several backends and none is named */
  find(lookup: NameLookup): T {
    const { name, backend } = lookup;
    const { option, list } = this.what;
    checkName(option, name);
    const found = this.known(lookup);
    if (found !== undefined) return found;
    const known = this.#byName.get(name) ?? [];
    if (backend === undefined && known.length > 0) {
      const names = known.map((one) => one.backend).join(', ');
      throw new InvalidOptionError('backend', `given, since ${option} "${name}" is on ${names}`, backend);
    }
    const fields = Object.entries(lookup).filter(([, value]) => value !== undefined);
    const missing = `{ ${fields.map(([field, value]) => `${field}: '${value}'`).join(', ')} }`;
    const requirement = `registered: add ${missing} to the ${list} of BedrockLockModule.forRoot(), forRootAsync() or forFeature()`;
    throw new InvalidOptionError(option, requirement, name);
  }

  /** As `find()`, but undefined instead of an error. */
  known({ name, backend }: NameLookup): T | undefined {
    const known = this.#byName.get(name) ?? [];
    if (backend === undefined && known.length === 1) return known[0];
    return known.find((one) => one.backend === (backend ?? DEFAULT_BACKEND));
  }

  on(name: string, backend: string): T | undefined {
    return this.#byName.get(name)?.find((one) => one.backend === backend);
  }
}
