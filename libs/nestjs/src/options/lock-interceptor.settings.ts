import { checkBoolean, checkFields, checkWhole } from 'bedrock-lock/integration';
import type { MappedLockCode, LockInterceptorOptions } from './lock-interceptor.options.js';

/** The complete and checked options of the interceptor. Frozen. */
export interface LockInterceptorSettings {
  readonly isGlobal: boolean;
  readonly mapErrors: boolean;
  /** Contains the mapped codes only. */
  readonly statuses: ReadonlyMap<MappedLockCode, number>;
  readonly abortOnDisconnect: boolean;
}

const FIELDS: ReadonlySet<string> = new Set<keyof LockInterceptorOptions>([
  'isGlobal', 'mapErrors', 'statuses', 'abortOnDisconnect',
]); // prettier-ignore

const STATUSES: Readonly<Record<MappedLockCode, number | undefined>> = {
  LOCK_BUSY: 409,
  LOCK_WAIT_TIMEOUT: 409,
  QUEUE_FULL: 503,
  BACKEND_UNAVAILABLE: 503,
  LOCK_CLOSED: 503,
  LOCK_LOST: 500,
  LOCK_REVOKED: 500,
  // As draft-ietf-httpapi-idempotency-key-header requires.
  IDEMPOTENCY_IN_FLIGHT: 409,
  IDEMPOTENCY_MISMATCH: 422,
  IDEMPOTENCY_RESULT: 409,
  IDEMPOTENCY_LOST: 500,
  // An invalid key may be the client's mistake or a bug; the log should report the bug.
  INVALID_OPTION: undefined,
};
const CODES: ReadonlySet<string> = new Set(Object.keys(STATUSES));

/** @throws InvalidOptionError naming the field: `interceptor.statuses.LOCK_BUSY` */
export function interceptorSettings(given: boolean | LockInterceptorOptions = true): LockInterceptorSettings {
  const options = typeof given === 'boolean' ? { isGlobal: given } : given;
  checkFields('interceptor', options, FIELDS);
  const { isGlobal = true, mapErrors = true, statuses = {}, abortOnDisconnect = true } = options;
  return Object.freeze<LockInterceptorSettings>({
    isGlobal: checkBoolean('interceptor.isGlobal', isGlobal),
    mapErrors: checkBoolean('interceptor.mapErrors', mapErrors),
    statuses: checkStatuses(statuses),
    abortOnDisconnect: checkBoolean('interceptor.abortOnDisconnect', abortOnDisconnect),
  });
}

function checkStatuses(given: object): LockInterceptorSettings['statuses'] {
  checkFields('interceptor.statuses', given, CODES);
  const statuses = new Map<MappedLockCode, number>();
  for (const [code, status] of Object.entries({ ...STATUSES, ...onlyGiven(given) })) {
    if (status === undefined) continue;
    const checked = checkWhole(`interceptor.statuses.${code}`, status, 400, 599);
    statuses.set(code as MappedLockCode, checked);
  }
  return statuses;
}

function onlyGiven(options: object): object {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}
