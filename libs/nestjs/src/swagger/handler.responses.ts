import 'reflect-metadata';
import type { ApiResponseOptions } from '@nestjs/swagger';
import { STATUS_CODES } from 'node:http';
import { RESPONSE_RULES } from '../handlers/lock-error-response.js';
import { PROBLEM_TYPE } from '../handlers/problem-details.js';
import type { IdempotentSpec } from '../options/idempotent-spec.js';
import type { MappedLockCode } from '../options/lock-interceptor.options.js';
import type { LockInterceptorSettings } from '../options/lock-interceptor.settings.js';
import type { LockSpec } from '../options/lock-spec.js';
import type { LockRegistry } from '../registry/lock.registry.js';
import type { DecoratedHandler } from './decorated.handlers.js';

/** A response whose status is a number. */
export type DescribedResponse = ApiResponseOptions & { readonly status: number };

interface Application {
  readonly settings: LockInterceptorSettings;
  readonly registry: LockRegistry;
}

/** One error code with its status. */
interface CodeOfStatus {
  readonly code: string;
  readonly status: number;
  readonly message: string;
  readonly mayRetry: boolean;
}

/** Metadata of `@ApiConsumes()`. */
const CONSUMES = 'swagger/apiConsumes';

const BAD_REQUESTS = {
  IDEMPOTENCY_KEY_MISSING: 'The header with the idempotency key is required',
  IDEMPOTENCY_KEY_BAD: 'The idempotency key is not one text of the allowed length',
  IDEMPOTENCY_SCOPE_MISSING: 'The header with the owner of the key is required',
} as const;

/** The responses that this package adds to a handler, one for each status, in order. */
export function responsesOf(
  handler: DecoratedHandler,
  application: Application,
): readonly DescribedResponse[] {
  const codes = [...mappedCodes(handler, application), ...refusals(handler)];
  const statuses = [...new Set(codes.map(({ status }) => status))].sort((a, b) => a - b);
  // These handlers follow the draft on idempotency keys.
  const isProblem = handler.idempotent !== undefined;
  return statuses.map((status) =>
    described(
      status,
      codes.filter((one) => one.status === status),
      isProblem,
    ),
  );
}

/** Lock errors that leave the handler, where this package gives them a status. */
function mappedCodes(
  handler: DecoratedHandler,
  { settings, registry }: Application,
): readonly CodeOfStatus[] {
  if (!settings.mapErrors || !(settings.isGlobal || handler.isMapped)) return [];
  const { idempotent } = handler;
  const codes = new Set([
    ...handler.locks.flatMap(codesOfLock),
    ...(idempotent === undefined ? [] : codesOfIdempotency(idempotent, registry)),
  ]);
  return [...codes].flatMap((code) => {
    const status = settings.statuses.get(code);
    return status === undefined ? [] : [{ code, status, ...RESPONSE_RULES[code] }];
  });
}

function codesOfLock({ onBusy, onLost, key, keys, call }: LockSpec): readonly MappedLockCode[] {
  const busy: readonly MappedLockCode[] = ['LOCK_BUSY', 'QUEUE_FULL'];
  const mayWait = call?.waitMs !== 0 && call?.waitMs !== Infinity;
  return [
    ...(onBusy === 'throw' ? busy : []),
    ...(onBusy === 'throw' && mayWait ? (['LOCK_WAIT_TIMEOUT'] as const) : []),
    ...(onLost === 'throw' ? (['LOCK_LOST', 'LOCK_REVOKED'] as const) : []),
    ...(key !== undefined || keys !== undefined ? (['INVALID_OPTION'] as const) : []),
    ...(['BACKEND_UNAVAILABLE', 'LOCK_CLOSED'] as const),
  ];
}

function codesOfIdempotency(spec: IdempotentSpec, registry: LockRegistry): readonly MappedLockCode[] {
  const { onUnavailable } = registry.idempotency(spec.idempotency, spec.backend).settings;
  return [
    ...(['IDEMPOTENCY_IN_FLIGHT', 'IDEMPOTENCY_MISMATCH', 'IDEMPOTENCY_RESULT', 'IDEMPOTENCY_LOST'] as const),
    ...(onUnavailable === 'fail' ? (['BACKEND_UNAVAILABLE'] as const) : []),
    'LOCK_CLOSED',
  ];
}

/** Requests that `@Idempotent()` refuses before the handler runs, whatever the settings are. */
function refusals({ idempotent, descriptor, controller }: DecoratedHandler): readonly CodeOfStatus[] {
  if (idempotent === undefined) return [];
  const { required, scopeHeader, payload } = idempotent;
  const codes: (keyof typeof BAD_REQUESTS)[] = [
    ...(required ? (['IDEMPOTENCY_KEY_MISSING'] as const) : []),
    'IDEMPOTENCY_KEY_BAD',
    ...(scopeHeader === undefined ? [] : (['IDEMPOTENCY_SCOPE_MISSING'] as const)),
  ];
  const refused = codes.map((code) => ({ code, status: 400, message: BAD_REQUESTS[code], mayRetry: false }));
  const consumed = (Reflect.getMetadata(CONSUMES, descriptor.value!) ??
    Reflect.getMetadata(CONSUMES, controller) ??
    []) as readonly string[];
  if (payload !== undefined || !consumed.some((type) => type.startsWith('multipart/'))) return refused;
  const message = 'The body of the request cannot be compared with other requests';
  return [...refused, { code: 'IDEMPOTENCY_PAYLOAD_UNREAD', status: 415, message, mayRetry: false }];
}

function described(status: number, codes: readonly CodeOfStatus[], isProblem: boolean): DescribedResponse {
  const byMessage = new Map<string, string[]>();
  for (const { code, message } of codes) byMessage.set(message, [...(byMessage.get(message) ?? []), code]);
  const description = [...byMessage].map(([message, names]) => `${names.join(', ')}: ${message}.`).join(' ');
  const schema = bodySchema(
    status,
    codes.map(({ code }) => code),
    isProblem,
  );
  return {
    status,
    description,
    content: { [isProblem ? PROBLEM_TYPE : 'application/json']: { schema } },
    ...(codes.some(({ mayRetry }) => mayRetry) && { headers: { 'Retry-After': RETRY_AFTER } }),
  };
}

const RETRY_AFTER = {
  description: 'Seconds after which a retry makes sense.',
  schema: { type: 'integer', minimum: 1 },
} as const;

/** The body of Nest's own exceptions, or that of RFC 9457. */
function bodySchema(status: number, codes: readonly string[], isProblem: boolean) {
  const code = { type: 'string', enum: [...codes] };
  const text = { type: 'string' };
  const phrase = { ...text, example: STATUS_CODES[status] ?? 'Error' };
  const properties: Record<string, object> = isProblem
    ? { type: { ...text, example: 'about:blank' }, title: phrase, status: number(status), detail: text, code }
    : { statusCode: number(status), error: phrase, message: text, code };
  return { type: 'object', properties, required: Object.keys(properties) };
}

function number(example: number) {
  return { type: 'integer', example };
}
