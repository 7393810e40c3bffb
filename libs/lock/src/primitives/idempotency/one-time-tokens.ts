import { randomUuid } from '../../core/clock.js';
import { asLockError, isUnavailable } from '../../core/unavailable.js';
import type { RecordEngine } from '../../engine/records/record-engine.js';

/** What a token is recorded as, besides its owner, which is the token itself. */
const FINGERPRINT = 'token';
/** Asked so often: a repetition of the same use is answered as the first. */
const TRIES = 2;
/** How long it is remembered who used a token, in ms: as long as an answer may be on its way. */
const REMEMBER_MS = 60_000;

/** Tokens that are good for one use. */
export class OneTimeTokens {
  constructor(
    private readonly engine: RecordEngine,
    private readonly resource: string,
  ) {}

  async issue(ttlMs: number): Promise<string> {
    const { clock, records, backend } = this.engine;
    const token = randomUuid(clock);
    const resource = this.#resourceOf(token);
    const start = { resource, owner: token, fingerprint: FINGERPRINT, leaseMs: ttlMs };
    await this.#ask(resource, () =>
      records.begin({ ...start, notAfter: clock.now() + backend.operationTimeoutMs }),
    );
    return token;
  }

  async consume(token: string): Promise<boolean> {
    const resource = this.#resourceOf(token);
    const use = randomUuid(this.engine.clock);
    return this.#ask(resource, () =>
      this.engine.records.complete({ resource, owner: token }, use, REMEMBER_MS),
    );
  }

  /** No key and no scope is empty, so no record of a request is called like this. */
  #resourceOf(token: string): string {
    return `${this.resource}::${encodeURIComponent(token)}`;
  }

  async #ask<A>(resource: string, ask: () => Promise<A>): Promise<A> {
    const { backend } = this.engine;
    this.engine.assertOpen(resource);
    for (let tries = 1; ; tries += 1) {
      try {
        return await ask();
      } catch (error) {
        if (tries >= TRIES || !isUnavailable(error)) throw asLockError(error, backend.name, resource);
      }
    }
  }
}
