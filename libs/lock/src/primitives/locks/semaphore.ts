import { LockSelfDeadlockError } from '../../core/errors.js';
import type { Terms } from '../../core/options/options.js';
import {
  PermitTermsBook,
  type SemaphoreCallOptions,
  type SemaphoreTerms,
} from '../../core/options/semaphore-options.js';
import { leasesOn } from '../../engine/call-chain/frames.js';
import type { LockEngine } from '../../engine/locking/lock-engine.js';
import { Leasable, type KeyPart } from './leasable.js';

/**
 * So many permits over all processes, of which a call takes one or several; they are renewed while held, and back when
 * their process has died. Not re-entrant: a nested `run` takes further permits, and is refused at once where those that its
 * own call chain holds leave it too few. Created once by `bedrock.semaphore(name, { permits })` and used everywhere.
 */
export class Semaphore extends Leasable<SemaphoreCallOptions> {
  readonly #book: PermitTermsBook;

  /** @internal Semaphores come from a `Bedrock`. */
  constructor(
    engine: LockEngine,
    name: string,
    resource: string,
    /** Its options, complete and frozen. */
    readonly terms: SemaphoreTerms,
    book = new PermitTermsBook(terms),
  ) {
    super(engine, name, resource);
    this.#book = book;
  }

  /** How many permits there are. */
  get permits(): number {
    return this.terms.permits;
  }

  override for(...key: [KeyPart, ...KeyPart[]]): Semaphore {
    return new Semaphore(this.engine, this.name, this.narrowed(key), this.terms, this.#book);
  }

  /** How many permits are free, as the backend sees it; others may take them at any moment. @throws BackendUnavailableError */
  async available(): Promise<number> {
    const views = await this.inspect();
    return Math.max(
      0,
      views.reduce((free, { units }) => free - units, this.permits),
    );
  }

  /** @internal */
  protected override termsOf(options: SemaphoreCallOptions | undefined): Terms {
    const { traits, name } = this.engine.backend;
    return this.#book.ofCall(options, traits, name);
  }

  /** @internal */
  protected override enterNested(terms: Terms): undefined {
    this.assertServable(terms);
  }

  /** @internal */
  protected override assertServable({ shape: { units } }: Terms): void {
    let held = 0;
    for (const lease of leasesOn(this.engine, this.resource))
      if (lease.isHeld) held += lease.terms.shape.units;
    if (held + units <= this.permits) return;
    const advice = `it holds ${held} of ${this.permits} permits and wants ${units} more: take them in one call`;
    throw new LockSelfDeadlockError(this.resource, advice);
  }
}
