import { LockSelfDeadlockError } from '../../core/errors.js';
import type { LockSettings } from '../../core/options/options.js';
import {
  PermitSettingsCache,
  type SemaphoreCallOptions,
  type SemaphoreSettings,
} from '../../core/options/semaphore-options.js';
import { leasesOn } from '../../engine/call-chain/frames.js';
import type { LockEngine } from '../../engine/locking/lock-engine.js';
import { Acquirable, type KeyPart } from './acquirable.js';

/**
 * A number of permits across all processes; a call takes one or several. They are renewed while
 * held, and come back when their process has died. Not re-entrant: a nested `run` takes further
 * permits. It is refused at once if the permits that its own call chain holds leave too few.
 * Created once by `bedrock.semaphore(name, { permits })` and used everywhere.
 */
export class Semaphore extends Acquirable<SemaphoreCallOptions> {
  readonly #cache: PermitSettingsCache;

  /** @internal Semaphores come from a `Bedrock`. */
  constructor(
    engine: LockEngine,
    name: string,
    resource: string,
    /** Its options, complete and frozen. */
    readonly settings: SemaphoreSettings,
    cache = new PermitSettingsCache(settings),
  ) {
    super(engine, name, resource);
    this.#cache = cache;
  }

  /** How many permits there are. */
  get permits(): number {
    return this.settings.permits;
  }

  override for(...key: [KeyPart, ...KeyPart[]]): Semaphore {
    return new Semaphore(this.engine, this.name, this.narrowed(key), this.settings, this.#cache);
  }

  /**
   * How many permits are free, as the backend sees it; others may take them at any moment. @throws
   * BackendUnavailableError
   */
  async available(): Promise<number> {
    const views = await this.inspect();
    return Math.max(
      0,
      views.reduce((free, { units }) => free - units, this.permits),
    );
  }

  /** @internal */
  protected override settingsOf(options: SemaphoreCallOptions | undefined): LockSettings {
    const { traits, name } = this.engine.backend;
    return this.#cache.ofCall(options, traits, name);
  }

  /** @internal */
  protected override enterNested(settings: LockSettings): undefined {
    this.assertAcquirable(settings);
  }

  /** @internal */
  protected override assertAcquirable({ shape: { units } }: LockSettings): void {
    let held = 0;
    for (const lease of leasesOn(this.engine, this.resource))
      if (lease.isHeld) held += lease.settings.shape.units;
    if (held + units <= this.permits) return;
    const advice = `it holds ${held} of ${this.permits} permits and wants ${units} more: take them in one call`;
    throw new LockSelfDeadlockError(this.resource, advice);
  }
}
