import { checkFields, checkFunction, checkOneOf, checkSignal, checkTime, checkWhole } from '../checks.js';
import { InvalidOptionError } from '../errors.js';
import type { Traits } from '../ports/ports.js';
import { SecretKeys, type SecretKey } from './secret-keys.js';

/** Options of an idempotency. */
export interface IdempotencyOptions {
  /** How long a run keeps its key without a sign of life, in ms; it is renewed while the body runs. @default 30000 */
  readonly leaseMs?: number;
  /** How long a result is given again, in ms. @default 86400000, a day */
  readonly keepMs?: number;
  /** How long a repeated request waits for the first one to end, in ms. 0 refuses it at once. @default 0 */
  readonly waitMs?: number;
  /** Longest key, in characters. @default 255 */
  readonly maxKeyLength?: number;
  /** Largest result that is stored, in bytes of its text; of a larger one only that there was one. @default 262144 */
  readonly maxResultBytes?: number;
  /** What tells payloads apart. @default SHA-256 of canonical JSON */
  readonly fingerprint?: (payload: unknown) => string;
  /** Results are stored under AES-256-GCM: by the first key, and read with all of them. @default none */
  readonly encryption?: readonly SecretKey[];
  /**
   * When the backend does not answer: 'fail' rejects the request, so that nothing runs twice; 'run'
   * runs it without a record.
   * @default 'fail'
   */
  readonly onUnavailable?: 'fail' | 'run';
}

/** Where a key counts. The same key elsewhere is another one. */
export interface IdempotencyNamespace {
  /**
   * Names the operation, in at most 200 characters, such as `payments.capture`. The name must stay
   * the same when the code changes. @default none
   */
  readonly operation?: string;
  /** Whose key it is: a user, a tenant. @default none: the keys of all callers meet */
  readonly scope?: string | number;
}

/** What one request brings. */
export interface IdempotentRequest extends IdempotencyNamespace {
  /** What the caller gives to each request, and again to its repetitions. */
  readonly key: string;
  /** What was asked for: under the same key it must be the same. */
  readonly payload?: unknown;
  /** Overrides that of the idempotency. */
  readonly waitMs?: number;
  /** Ends the wait for the first request, not a run. */
  readonly signal?: AbortSignal;
}

/** The resolved, checked and frozen options of an idempotency. */
export interface IdempotencySettings {
  readonly leaseMs: number;
  readonly keepMs: number;
  readonly waitMs: number;
  readonly maxKeyLength: number;
  readonly maxResultBytes: number;
  readonly fingerprint: ((payload: unknown) => string) | undefined;
  readonly encryption: SecretKeys;
  readonly onUnavailable: 'fail' | 'run';
}

const FIELDS: ReadonlySet<string> = new Set<keyof IdempotencyOptions>([
  'leaseMs', 'keepMs', 'waitMs', 'maxKeyLength', 'maxResultBytes', 'fingerprint', 'encryption', 'onUnavailable',
]); // prettier-ignore
const REQUEST_FIELDS: ReadonlySet<string> = new Set<keyof IdempotentRequest>([
  'key', 'operation', 'scope', 'payload', 'waitMs', 'signal',
]); // prettier-ignore
const KEY_FIELDS: ReadonlySet<string> = new Set<keyof SecretKey>(['id', 'secret']);
const KEY_ID = /^[\w-]{1,32}$/;
const SECRET_BYTES = 32;
/** A shorter lease ends while a healthy run is between two renewals. */
const SHORTEST_LEASE_MS = 100;
const LONGEST_KEEP_MS = 366 * 24 * 3_600_000;

/** @throws InvalidOptionError */
export function resolveIdempotencySettings(
  options: IdempotencyOptions,
  { inProcess }: Traits,
): IdempotencySettings {
  checkFields('options', options, FIELDS);
  const {
    leaseMs = 30_000,
    keepMs = 24 * 3_600_000,
    waitMs = 0,
    maxKeyLength = 255,
    maxResultBytes = 262_144,
    fingerprint,
    encryption = [],
    onUnavailable = 'fail',
  } = options;
  checkOneOf('onUnavailable', onUnavailable, ['fail', 'run']);
  return Object.freeze({
    leaseMs: checkWhole('leaseMs', leaseMs, inProcess ? 10 : SHORTEST_LEASE_MS, 24 * 3_600_000),
    keepMs: checkWhole('keepMs', keepMs, 1, LONGEST_KEEP_MS),
    waitMs: checkTime('waitMs', waitMs, 0),
    maxKeyLength: checkWhole('maxKeyLength', maxKeyLength, 1, 400),
    maxResultBytes: checkWhole('maxResultBytes', maxResultBytes, 0, 64 * 1024 * 1024),
    fingerprint: fingerprint === undefined ? undefined : checkFunction('fingerprint', fingerprint),
    encryption: checkKeys(encryption),
    onUnavailable,
  });
}

/** @throws InvalidOptionError */
export function checkRequest(request: IdempotentRequest, settings: IdempotencySettings): void {
  checkFields('request', request, REQUEST_FIELDS);
  checkKey('key', request.key, settings.maxKeyLength);
  const { operation, scope, waitMs } = request;
  if (operation !== undefined) checkKey('operation', operation, 200);
  if (scope !== undefined) checkKey('scope', typeof scope === 'number' ? String(scope) : scope, 200);
  if (waitMs !== undefined) checkTime('waitMs', waitMs, 0);
  checkSignal(request.signal);
}

/** Text that a client chose: printable, and no longer than is good for a name. @throws InvalidOptionError */
export function checkKey(field: string, key: unknown, maxLength: number): string {
  if (typeof key !== 'string') throw new InvalidOptionError(field, 'a string', key);
  if (key.length === 0) throw new InvalidOptionError(field, 'a non-empty string', key);
  if (key.length > maxLength) throw new InvalidOptionError(field, `at most ${maxLength} characters`, key);
  if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(key) || !key.isWellFormed())
    throw new InvalidOptionError(field, 'well-formed text without control characters', key);
  return key;
}

function checkKeys(keys: unknown): SecretKeys {
  if (!Array.isArray(keys)) throw new InvalidOptionError('encryption', 'a list of keys', keys);
  const ids = new Set<string>();
  const checked = (keys as unknown[]).map((key, at) => {
    const field = `encryption.${at}`;
    checkFields(field, key, KEY_FIELDS);
    const { id, secret } = key as SecretKey;
    if (typeof id !== 'string' || !KEY_ID.test(id))
      throw new InvalidOptionError(`${field}.id`, '1 to 32 letters, digits, - and _', id);
    if (ids.has(id)) throw new InvalidOptionError(`${field}.id`, 'an id of its own', id);
    if (!(secret instanceof Uint8Array) || secret.byteLength !== SECRET_BYTES)
      // What was given instead may be a secret all the same.
      throw new InvalidOptionError(`${field}.secret`, `a Uint8Array of ${SECRET_BYTES} bytes`, typeof secret);
    ids.add(id);
    return { id, secret };
  });
  return new SecretKeys(checked);
}
