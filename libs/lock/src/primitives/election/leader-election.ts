import { checkFields, checkFunction, checkSignal, checkTime } from '../../core/checks.js';
import type { ClaimView } from '../../core/claim.js';
import { MAX_TIMER_MS } from '../../core/clock.js';
import type { ElectionSettings } from '../../core/options/election-options.js';
import { InvalidOptionError, LockClosedError } from '../../core/errors.js';
import { withEitherSignal } from '../../runtime/abort-listeners.js';
import { sleepUnlessAborted } from '../../runtime/wakeable-sleep.js';
import type { LockEngine } from '../../engine/locking/lock-engine.js';
import { asLockError, isUnavailable } from '../../core/unavailable.js';
import { ElectionLoop } from './election-loop.js';
import type { LeaderTerm } from './leader-term.js';

export interface CampaignOptions {
  /** Ends the campaign: the term is given up, if there is one, and `run()` resolves. */
  readonly signal?: AbortSignal;
}

export interface ObserveOptions {
  /** How often the backend is asked, in ms, from 10. @default 1000 */
  readonly everyMs?: number;
  /** Ends the observation. */
  readonly signal?: AbortSignal;
}

const CAMPAIGN_FIELDS: ReadonlySet<string> = new Set<keyof CampaignOptions>(['signal']);
const OBSERVE_FIELDS: ReadonlySet<string> = new Set<keyof ObserveOptions>(['everyMs', 'signal']);

/**
 * One leader among the processes that stand for the same election, and the next one when it has
 * gone. The leader holds a mutex of that name, so everything that is promised of a mutex is
 * promised of leadership. Created once by `bedrock.leaderElection(name)` and used everywhere.
 */
export class LeaderElection {
  readonly #engine: LockEngine;
  #loop: ElectionLoop | undefined;

  /** @internal Elections come from `bedrock.leaderElection()`. */
  constructor(
    engine: LockEngine,
    /** The name it was created with. */
    readonly name: string,
    /** What the leader holds: prefix and name. */
    readonly resource: string,
    /** Its options, complete and frozen. */
    readonly settings: ElectionSettings,
  ) {
    this.#engine = engine;
  }

  /**
   * Stands for election until the signal aborts or the Bedrock closes, and then resolves. Whenever
   * this process is elected, `onElected` is called with the new term; the term ends with it, and
   * after a rest of `restMs` the process stands again. When leadership is lost, the signal of the
   * term aborts; the process stands again as soon as the body has ended.
   * @throws what `onElected` throws while it leads, after giving leadership up;
   * LockTypeMismatchError; LockClosedError when the Bedrock was closed before; InvalidOptionError,
   * also for a second campaign of this process at the same time
   */
  async run(onElected: (term: LeaderTerm) => unknown, options: CampaignOptions = {}): Promise<void> {
    checkFunction('onElected', onElected);
    checkFields('options', options, CAMPAIGN_FIELDS);
    checkSignal(options.signal);
    const { registry } = this.#engine;
    if (registry.isClosed) throw new LockClosedError(this.resource);
    if (this.#loop !== undefined) {
      const wanted = `given to one campaign at a time, and this process stands for "${this.resource}" already`;
      throw new InvalidOptionError('onElected', wanted, onElected);
    }
    await withEitherSignal(registry.closing, options.signal, async (stop) => {
      this.#loop = new ElectionLoop(this.#engine, this.resource, this.settings, onElected, stop);
      await this.#loop.run().finally(() => (this.#loop = undefined));
    });
  }

  /** True while this process leads, by the clock; false as soon as it is to give leadership up. */
  get isLeader(): boolean {
    return this.term?.isLeading === true;
  }

  /** The term of this process, until its body has ended. */
  get term(): LeaderTerm | undefined {
    return this.#loop?.term;
  }

  /**
   * Gives leadership up: the signal of the term aborts, and when its body has ended, the first
   * candidate is woken at once. The campaign goes on after a rest of `restMs`. False when this
   * process does not lead.
   */
  resign(): boolean {
    return this.#loop?.resign() === true;
  }

  /** The leader, as the backend sees it; undefined when there is none. @throws BackendUnavailableError */
  async leader(): Promise<ClaimView | undefined> {
    const { backend } = this.#engine;
    try {
      const [view] = await backend.leases.inspect(this.resource, this.settings.lock.shape);
      return view;
    } catch (error) {
      throw asLockError(error, backend.name, this.resource);
    }
  }

  /**
   * The current leader, and from then on every new one: undefined while there is none. Changes that
   * follow each other within `everyMs` may be missed. While the backend is unavailable there is no
   * news. Ends with the signal or the Bedrock.
   * @throws InvalidOptionError
   */
  observe(options: ObserveOptions = {}): AsyncGenerator<ClaimView | undefined, void> {
    checkFields('options', options, OBSERVE_FIELDS);
    const { everyMs = 1_000, signal } = options;
    checkSignal(signal);
    return this.#observe(checkTime('everyMs', everyMs, 10, MAX_TIMER_MS), signal);
  }

  async *#observe(
    everyMs: number,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<ClaimView | undefined, void> {
    const { clock, registry } = this.#engine;
    const ends = signal === undefined ? [registry.closing] : [registry.closing, signal];
    let told: { readonly id: string | undefined } | undefined;
    while (!ends.some(({ aborted }) => aborted)) {
      try {
        const leader = await this.leader();
        if (told === undefined || told.id !== leader?.id) {
          told = { id: leader?.id };
          yield leader;
        }
      } catch (error) {
        if (!isUnavailable(error)) throw error;
      }
      await sleepUnlessAborted(clock, everyMs, ends);
    }
  }
}
