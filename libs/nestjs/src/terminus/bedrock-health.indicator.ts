import { Inject, Injectable } from '@nestjs/common';
import { HealthIndicatorService, type HealthIndicatorResult } from '@nestjs/terminus';
import { InvalidOptionError } from 'bedrock-lock';
import { checkFields, checkTime } from 'bedrock-lock/integration';
import type { LockRegistry } from '../registry/lock.registry.js';
import { LOCK_REGISTRY } from '../core/lock.constants.js';
import { BackendMonitor, type BackendHealth } from './backend.monitor.js';

/** Options of `BedrockHealthIndicator.check()`. */
export interface BedrockHealthOptions {
  /** Names of the backends to check. @default all backends */
  readonly backends?: readonly string[];
  /** How long a backend may take to answer, in ms; all are checked in parallel. @default 1000 */
  readonly timeoutMs?: number;
}

const FIELDS: ReadonlySet<string> = new Set<keyof BedrockHealthOptions>(['backends', 'timeoutMs']);
const DEFAULT_TIMEOUT_MS = 1_000;
const MAX_TIMEOUT_MS = 60_000;

/**
 * Health of the lock backends for `@nestjs/terminus`. Add it to the providers of the module that imports
 * TerminusModule, and call `indicator.check('locks')` inside `HealthCheckService.check()`.
 */
@Injectable()
export class BedrockHealthIndicator {
  readonly #terminus: HealthIndicatorService;
  readonly #registry: LockRegistry;

  /** @internal Nest creates it. */
  constructor(
    @Inject(HealthIndicatorService) terminus: HealthIndicatorService,
    @Inject(LOCK_REGISTRY) registry: LockRegistry,
  ) {
    this.#terminus = terminus;
    this.#registry = registry;
    for (const name of registry.backends) this.#monitorOf(name);
  }

  /**
   * Up if every backend answers in time and grants locks, otherwise down. Acquires no lock. The details are keyed by
   * backend name. Rejects only for a bad argument.
   * @param key the name of this check in the result
   * @throws InvalidOptionError naming the field
   */
  async check<const Key extends string>(
    key: Key,
    options: BedrockHealthOptions = {},
  ): Promise<HealthIndicatorResult<Key, 'up' | 'down', { backends: Record<string, BackendHealth> }>> {
    checkKey(key);
    checkFields('options', options, FIELDS);
    const { timeoutMs = DEFAULT_TIMEOUT_MS, backends: names = this.#registry.backends } = options;
    checkTime('timeoutMs', timeoutMs, 1, MAX_TIMEOUT_MS);
    const monitors = this.#monitorsOf(names);
    const checked = await Promise.all(
      monitors.map(async ([name, monitor]) => [name, await monitor.check(timeoutMs)] as const),
    );
    const backends = Object.fromEntries(checked);
    const isUp = checked.every(([, { status }]) => status === 'up');
    const session = this.#terminus.check(key);
    return isUp ? session.up({ backends }) : session.down({ backends });
  }

  #monitorsOf(names: unknown): readonly (readonly [string, BackendMonitor])[] {
    if (!Array.isArray(names) || names.length === 0) {
      throw new InvalidOptionError('backends', 'an array with at least one name', names);
    }
    const known = this.#registry.backends;
    return (names as string[]).map((name) => {
      if (known.includes(name)) return [name, this.#monitorOf(name)];
      throw new InvalidOptionError('backends', `some of ${known.join(', ')}`, name);
    });
  }

  #monitorOf(backend: string): BackendMonitor {
    return BackendMonitor.of(this.#registry.bedrock(backend), this.#registry.clock);
  }
}

/** Terminus merges the results into one object by key: a `__proto__` key would vanish, and with it a failure. */
function checkKey(key: unknown): void {
  if (typeof key === 'string' && key !== '' && key !== '__proto__') return;
  throw new InvalidOptionError('key', 'a non-empty string', key);
}
