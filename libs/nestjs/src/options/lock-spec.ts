import { InvalidOptionError, type CallOptions, type KeyPart, type SemaphoreCallOptions } from 'bedrock-lock';
import { READERS } from 'bedrock-lock/backend';
import {
  checkBoolean,
  checkFields,
  checkFunction,
  checkName,
  checkTime,
  checkWhole,
  MAX_TIMER_MS,
} from 'bedrock-lock/integration';
import { KeyTemplate } from '../keys/key.template.js';
import { checkKind } from '../core/lock.kind.js';
import type {
  DistributedLockOptions,
  LockKeyFunction,
  LockKeysFunction,
  MethodResultKind,
} from './lock.options.js';
import { checkReference, type LockMode, type LockReference } from '../core/lock-reference.js';

/** Returns the key parts of one call. */
export type KeyReader = (self: object, args: readonly unknown[]) => readonly KeyPart[];
/** Returns the parts of each of a call's keys. */
type KeysReader = (self: object, args: readonly unknown[]) => readonly (readonly KeyPart[])[];
type PolicyFunction = (error: Error, ...args: unknown[]) => unknown;

/** A checked `@DistributedLock()`. Frozen; shared by all objects and applications. */
export interface LockSpec extends LockReference {
  readonly backend: string | undefined;
  /** The compiled template, for checks and messages. */
  readonly template: KeyTemplate | undefined;
  readonly key: KeyReader | undefined;
  /** Replaces `key`: the keys of several entities. */
  readonly keys: KeysReader | undefined;
  /** Undefined if the lock's own options apply, so that the hot path allocates nothing. */
  readonly call: SemaphoreCallOptions | undefined;
  readonly onBusy: 'throw' | 'skip' | PolicyFunction;
  readonly onLost: 'throw' | PolicyFunction;
  readonly returns: MethodResultKind | undefined;
}

const FIELDS: ReadonlySet<string> = new Set<keyof DistributedLockOptions>([
  'lock', 'kind', 'mode', 'permits', 'backend', 'key', 'keys', 'waitMs', 'leaseMs', 'renew', 'maxHoldMs', 'holdAtLeastMs', 'failFast', 'onBusy',
  'onLost', 'returns',
]); // prettier-ignore
const RESULTS: readonly unknown[] = ['promise', 'observable', 'asyncIterator'] satisfies MethodResultKind[];

/** @throws InvalidOptionError naming the field */
export function lockSpec<A extends unknown[]>(options: string | DistributedLockOptions<A>): LockSpec {
  if (typeof options === 'string') return lockSpec({ lock: options });
  checkFields('options', options, FIELDS);
  const { key, keys, backend, returns, onBusy = 'throw', onLost = 'throw' } = options;
  if (returns !== undefined && !RESULTS.includes(returns)) {
    throw new InvalidOptionError('returns', 'promise, observable or asyncIterator', returns);
  }
  if (key !== undefined && keys !== undefined)
    throw new InvalidOptionError('keys', 'left out beside key', keys);
  const template = typeof key === 'string' ? new KeyTemplate(key) : undefined;
  return Object.freeze<LockSpec>({
    ...lockReference(options),
    backend: backend === undefined ? undefined : checkName('backend', backend),
    template,
    key: template === undefined ? keyReader(key as LockKeyFunction<A>) : (_self, args) => template.fill(args),
    keys: keysReader(keys),
    onBusy: checkPolicy('onBusy', onBusy, ['throw', 'skip']),
    onLost: checkPolicy('onLost', onLost, ['throw']) as LockSpec['onLost'],
    call: checkCall(options, onBusy === 'throw' ? {} : { waitMs: 0 }),
    returns,
  });
}

/** The decorator's statements about the lock; only the running application can verify them. */
function lockReference(
  options: Pick<DistributedLockOptions, 'lock' | 'kind' | 'mode' | 'permits'>,
): LockReference {
  const { kind, mode, permits } = options;
  const reference = {
    lock: checkName('lock', options.lock),
    kind: kind === undefined ? undefined : checkKind('kind', kind),
    mode: mode === undefined ? undefined : checkMode(mode),
    permits,
  };
  if (reference.kind !== undefined) checkReference(reference.kind, reference);
  return reference;
}

function checkMode(mode: unknown): LockMode {
  if (mode === 'read' || mode === 'write') return mode;
  throw new InvalidOptionError('mode', "'read' or 'write'", mode);
}

/** Checks a call's options as far as possible without the backend. @throws InvalidOptionError */
export function checkCall(
  options: SemaphoreCallOptions,
  defaults: CallOptions = {},
): SemaphoreCallOptions | undefined {
  const call: { -readonly [K in keyof SemaphoreCallOptions]: SemaphoreCallOptions[K] } = { ...defaults };
  const { permits, waitMs, leaseMs, renew, maxHoldMs, holdAtLeastMs, failFast } = options;
  if (permits !== undefined) call.permits = checkWhole('permits', permits, 1, READERS - 1);
  if (waitMs !== undefined) call.waitMs = checkTime('waitMs', waitMs, 0);
  if (leaseMs !== undefined) call.leaseMs = checkWhole('leaseMs', leaseMs, 1, MAX_TIMER_MS);
  if (renew !== undefined) call.renew = checkBoolean('renew', renew);
  if (maxHoldMs !== undefined) call.maxHoldMs = checkTime('maxHoldMs', maxHoldMs, 1);
  if (holdAtLeastMs !== undefined) {
    call.holdAtLeastMs = checkWhole('holdAtLeastMs', holdAtLeastMs, 0, MAX_TIMER_MS);
  }
  if (failFast !== undefined) call.failFast = checkBoolean('failFast', failFast);
  return Object.keys(call).length === 0 ? undefined : Object.freeze(call);
}

function keyReader<A extends unknown[]>(key: LockKeyFunction<A> | undefined): KeyReader | undefined {
  if (key === undefined) return undefined;
  if (typeof key !== 'function') throw new InvalidOptionError('key', 'a template or a function', key);
  return (self, args) => {
    return partsOf(key.apply(self, args as A));
  };
}

function keysReader(keys: LockKeysFunction<never> | undefined): KeysReader | undefined {
  if (keys === undefined) return undefined;
  checkFunction('keys', keys);
  return (self, args) => {
    const all: unknown = keys.apply(self, args as never);
    if (Array.isArray(all) && all.length > 0) return all.map(partsOf);
    throw new InvalidOptionError('keys', 'a function that returns a list of at least one key', all);
  };
}

function partsOf(key: unknown): readonly KeyPart[] {
  return Array.isArray(key) ? (key as readonly KeyPart[]) : [key as KeyPart];
}

function checkPolicy(field: string, value: unknown, words: readonly string[]): LockSpec['onBusy'] {
  if (typeof value !== 'function' && !words.includes(value as string)) {
    throw new InvalidOptionError(
      field,
      `${words.map((word) => `'${word}'`).join(', ')} or a function`,
      value,
    );
  }
  return value as LockSpec['onBusy'];
}
