import { READER, WRITER } from '../../core/claim.js';
import type { LockSettings } from '../../core/options/options.js';
import type { Hold } from './hold.js';
import { Lease, type LeaseOwner } from './lease.js';

/** What the lease of a writer asks of the engine. */
export interface WriteLeaseOwner extends LeaseOwner {
  downgrade(lease: WriteLease): Promise<void>;
}

/** The lease of a writer. It may go on as that of a reader. */
export class WriteLease extends Lease {
  /** @internal Open frames of its call chain that write. */
  writers = 0;
  readonly #owner: WriteLeaseOwner;

  /** @internal Leases come from `acquire()` and `run()`. */
  constructor(owner: WriteLeaseOwner, hold: Hold, settings: LockSettings, sequence: number) {
    super(owner, hold, settings, sequence);
    this.#owner = owner;
  }

  /** True until it was downgraded: no other caller reads or writes while it is held. */
  get isExclusive(): boolean {
    return this.settings.shape === WRITER;
  }

  /**
   * Continues as the lease of a reader, and returns itself. No writer gets in between, other
   * readers enter at once, and `release()` ends it as before. If an outer `run` of the same call
   * chain still writes, nothing changes yet.
   * @throws LockLostError, LockNotHeldError; BackendUnavailableError when there was no answer. The
   * caller then only reads all the same, the request is repeated, and others wait until the backend
   * knows
   */
  async downgrade(): Promise<Lease> {
    this.assertHeld();
    if (this.writers <= 1) await this.#owner.downgrade(this);
    return this;
  }

  /** @internal */
  becomeReader(): void {
    this.settings = { ...this.settings, shape: READER };
  }
}
