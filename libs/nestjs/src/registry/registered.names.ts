import { checkName, InvalidOptionError } from 'bedrock-lock';
import { DEFAULT_BACKEND } from '../core/lock.constants.js';

/** What names something that is registered. */
export interface NameLookup {
  readonly name: string;
  readonly backend?: string | undefined;
  /** Further fields that the registration should have, for the message when it is not there. */
  readonly [field: string]: string | undefined;
}

/** What is registered under names, each on one or several backends. */
export class RegisteredNames<T extends { readonly backend: string }> {
  readonly #byName = new Map<string, readonly T[]>();

  /** @param what the option that names one, and the list where they are registered, for errors */
  constructor(private readonly what: { readonly option: string; readonly list: string }) {}

  /** Unless it is there. */
  add(name: string, entry: T, isSame: (other: T) => boolean): void {
    const known = this.#byName.get(name) ?? [];
    if (!known.some(isSame)) this.#byName.set(name, [...known, entry]);
  }

  /** @throws InvalidOptionError when it is not registered, or on several backends and none of them is named */
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

  /** As `find()`, and undefined where that throws. */
  known({ name, backend }: NameLookup): T | undefined {
    const known = this.#byName.get(name) ?? [];
    if (backend === undefined && known.length === 1) return known[0];
    return known.find((one) => one.backend === (backend ?? DEFAULT_BACKEND));
  }

  on(name: string, backend: string): T | undefined {
    return this.#byName.get(name)?.find((one) => one.backend === backend);
  }
}
