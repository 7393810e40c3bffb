import { stayAlive, systemClock, type Clock } from './core/clock.js';
import { InvalidOptionError, LockClosedError } from './core/errors.js';
import { EventHub, type LockEventName, type LockEvents } from './core/events.js';
import { checkName, checkPrefix } from './core/key.js';
import { onePerProcess } from './core/one-per-process.js';
import {
  checkClock,
  checkFields,
  checkObject,
  checkTime,
  checkWhole,
  resolveTerms,
  type HandOverOptions,
  type LockOptions,
  type Terms,
} from './core/options.js';
import type { Backend } from './core/ports.js';
import { LockEngine, type EngineStats } from './engine/lock-engine.js';
import { WaitingRoom } from './engine/waiting-room.js';
import { Mutex } from './primitives/mutex.js';

export interface BedrockOptions {
  /** Where the locks live: `memory()`, `redis(url)`. Closed together with this Bedrock. */
  readonly backend: Backend;
  /** Put before every lock name, verbatim; choose its own separator. @default '' */
  readonly prefix?: string;
  /** Options of every lock that does not set its own. @default {} */
  readonly defaults?: LockOptions;
  /** How long this process serves its own callers before others get their chance. @default 10 ms or 512 grants */
  readonly handOver?: HandOverOptions;
  /** Callers that may wait in this process, over all locks. @default 100000 */
  readonly maxWaitersPerProcess?: number;
  /** How long `close()` waits for holders, in ms; Infinity waits for all of them. @default 10000 */
  readonly closeGraceMs?: number;
  /** Time and randomness, for tests. @default the system's */
  readonly clock?: Clock;
}

const FIELDS: ReadonlySet<string> = new Set<keyof BedrockOptions>([
  'backend', 'prefix', 'defaults', 'handOver', 'maxWaitersPerProcess', 'closeGraceMs', 'clock',
]); // prettier-ignore
const CLOSE_FIELDS: ReadonlySet<string> = new Set(['graceMs']);
const HAND_OVER_FIELDS: ReadonlySet<string> = new Set<keyof HandOverOptions>(['quantumMs', 'quantumGrants']);

/** The composition root: locks are created once here and used everywhere. One per backend and process. */
export class Bedrock implements AsyncDisposable {
  readonly backend: Backend;
  readonly prefix: string;
  readonly #engine: LockEngine;
  readonly #events = new EventHub();
  readonly #defaults: LockOptions;
  readonly #closeGraceMs: number;
  readonly #mutexes = new Map<string, Mutex>();
  #closed: Promise<void> | undefined;

  /** @throws InvalidOptionError naming the field; nothing is sent before the first lock is asked for */
  constructor(options: BedrockOptions) {
    checkFields('options', options, FIELDS);
    const {
      backend,
      prefix = '',
      defaults = {},
      handOver = {},
      maxWaitersPerProcess = 100_000,
      closeGraceMs = 10_000,
      clock = systemClock,
    } = options;
    if (typeof backend?.leases?.claim !== 'function') {
      throw new InvalidOptionError('backend', 'a backend, such as memory() or redis(url)', backend);
    }
    if (taken.has(backend))
      throw new InvalidOptionError('backend', 'one that no other Bedrock uses', backend);
    checkObject('defaults', defaults);
    checkFields('handOver', handOver, HAND_OVER_FIELDS);
    checkClock('clock', clock);
    const { quantumMs = 10, quantumGrants = 512 } = handOver;
    resolveTerms(defaults, backend.traits, backend.name);
    this.backend = backend;
    this.prefix = checkPrefix('prefix', prefix);
    this.#defaults = defaults;
    this.#closeGraceMs = checkTime('closeGraceMs', closeGraceMs, 0);
    const maxWaiters = checkWhole('maxWaitersPerProcess', maxWaitersPerProcess, 1, 10_000_000);
    this.#engine = new LockEngine(
      backend,
      clock,
      new WaitingRoom(clock, this.#events, maxWaiters),
      this.#events,
      {
        quantumMs: checkTime('handOver.quantumMs', quantumMs, 0, 10_000),
        quantumGrants: checkWhole('handOver.quantumGrants', quantumGrants, 1, 65_536),
      },
    );
    taken.add(backend);
  }

  /** True from the first call of `close()` on. */
  get isClosed(): boolean {
    return this.#closed !== undefined;
  }

  /** Resolves when the backend answers. @throws BackendUnavailableError with the reason */
  ready(): Promise<void> {
    return this.backend.ready();
  }

  /**
   * The lock of this name, created on the first call. Afterwards the same name gives the same object.
   * @throws InvalidOptionError for a bad name or option, and for options that differ from those it was created with
   */
  mutex(name: string, options: LockOptions = {}): Mutex {
    if (this.isClosed) throw new LockClosedError();
    checkName('name', name);
    checkObject('options', options);
    const terms = resolveTerms(withDefaults(options, this.#defaults), this.backend.traits, this.backend.name);
    const known = this.#mutexes.get(name);
    if (known !== undefined) {
      const changed = changes(known.terms, terms);
      if (changed.length === 0) return known;
      const wanted = `those that lock "${name}" was created with (a lock is created once): ${changed.join(', ')}`;
      throw new InvalidOptionError('options', wanted, options);
    }
    const mutex = new Mutex(this.#engine, name, checkName('name', this.prefix + name), terms);
    this.#mutexes.set(name, mutex);
    return mutex;
  }

  /** Listens to an event; gives back the unsubscription. Also on `diagnostics_channel`, as `bedrock:<event>`. */
  on<N extends LockEventName>(event: N, listener: (payload: LockEvents[N]) => void): () => void {
    return this.#events.on(event, listener);
  }

  /** Figures of the moment. */
  stats(): EngineStats {
    return this.#engine.stats;
  }

  /**
   * Stops granting, rejects waiters with `LockClosedError`, waits for holders up to `graceMs`, withdraws what is left
   * (those leases are lost) and closes the backend. Every call waits for the first one's end.
   */
  async close(options: { readonly graceMs?: number } = {}): Promise<void> {
    checkFields('options', options, CLOSE_FIELDS);
    const { graceMs = this.#closeGraceMs } = options;
    checkTime('graceMs', graceMs, 0);
    this.#closed ??= this.#close(graceMs);
    return this.#closed;
  }

  async #close(graceMs: number): Promise<void> {
    const letGo = stayAlive();
    try {
      await this.#engine.close(graceMs).finally(() => this.backend.close());
    } finally {
      letGo();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

/** Backends that serve a Bedrock: two on one would ask under the same claim ids and both be granted. */
const taken = onePerProcess('backends', () => new WeakSet<Backend>());

// An option that is undefined is one that was not given.
function withDefaults(options: LockOptions, defaults: LockOptions): LockOptions {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  return { ...defaults, ...Object.fromEntries(given) };
}

/** What differs, as `leaseMs 5000`, with the earlier values. */
function changes(earlier: Terms, later: Terms): string[] {
  const keys = (Object.keys(earlier) as (keyof Terms)[]).filter(
    (key) => !Object.is(earlier[key], later[key]),
  );
  return keys.map((key) => `${key} ${String(earlier[key])}`);
}
