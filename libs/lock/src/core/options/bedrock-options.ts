import { checkClock, checkFields, checkObject, checkTime, checkWhole } from '../checks.js';
import { systemClock, type Clock } from '../clock.js';
import type { SuspendAwareClock } from '../suspend-aware-clock.js';
import { InvalidOptionError } from '../errors.js';
import { checkPrefix } from '../key.js';
import { resolveLockSettings, type HandOverOptions, type LockOptions } from './options.js';
import type { Backend } from '../ports/ports.js';

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

/** The options of a Bedrock, complete and checked. */
export interface BedrockSettings {
  readonly backend: Backend;
  readonly prefix: string;
  readonly defaults: LockOptions;
  readonly quantum: { readonly quantumMs: number; readonly quantumGrants: number };
  readonly maxWaiters: number;
  readonly closeGraceMs: number;
  readonly clock: SuspendAwareClock;
}

const FIELDS: ReadonlySet<string> = new Set<keyof BedrockOptions>([
  'backend', 'prefix', 'defaults', 'handOver', 'maxWaitersPerProcess', 'closeGraceMs', 'clock',
]); // prettier-ignore
const HAND_OVER_FIELDS: ReadonlySet<string> = new Set<keyof HandOverOptions>(['quantumMs', 'quantumGrants']);

/** @throws InvalidOptionError naming the field, UnsupportedByBackendError for defaults that the backend cannot serve */
export function resolveBedrockSettings(options: BedrockOptions): BedrockSettings {
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
  checkObject('defaults', defaults);
  checkFields('handOver', handOver, HAND_OVER_FIELDS);
  const { quantumMs = 10, quantumGrants = 512 } = handOver;
  resolveLockSettings(defaults, backend.traits, backend.name);
  return {
    backend,
    prefix: checkPrefix('prefix', prefix),
    defaults,
    closeGraceMs: checkTime('closeGraceMs', closeGraceMs, 0),
    maxWaiters: checkWhole('maxWaitersPerProcess', maxWaitersPerProcess, 1, 10_000_000),
    quantum: {
      quantumMs: checkTime('handOver.quantumMs', quantumMs, 0, 10_000),
      quantumGrants: checkWhole('handOver.quantumGrants', quantumGrants, 1, 65_536),
    },
    clock: checkClock('clock', clock),
  };
}
