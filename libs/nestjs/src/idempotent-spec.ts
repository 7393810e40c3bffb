import type { HttpException } from '@nestjs/common';
import {
  checkBoolean,
  checkFields,
  checkFunction,
  checkName,
  checkTime,
  InvalidOptionError,
  type KeyPart,
} from 'bedrock-lock';
import { KeyTemplate } from './key.template.js';

/** Gives the key of a request from the arguments of the call; `this` is the object. */
export type IdempotencyKeyFunction<A extends unknown[]> = (...args: A) => KeyPart;

/** Options of `@Idempotent()`. */
export interface IdempotentOptions<A extends unknown[] = []> {
  /** Name of what the module registers with `kind: 'idempotency'`. */
  readonly idempotency: string;
  /** Needed only where the same name is registered on several backends. */
  readonly backend?: string;
  /**
   * What repetitions have in common: a template over the arguments (`'{0.operationId}'`), or a function of them. Left out on
   * an HTTP handler, it is the header.
   */
  readonly key?: string | IdempotencyKeyFunction<A>;
  /** Whose key it is: a template, or a function of the arguments; on an HTTP handler without `key`, of the request. @default nobody's */
  readonly scope?: string | ((...args: never[]) => string | number | undefined);
  /** What must be the same under the same key. @default the arguments; of an HTTP request its method, URL and body */
  readonly payload?: (...args: never[]) => unknown;
  /** How long a repetition waits for the first request, in ms. @default that of the idempotency */
  readonly waitMs?: number;
  /** HTTP: name of the header with the key. @default 'Idempotency-Key' */
  readonly header?: string;
  /** HTTP: refuse requests without a key with 400. False runs them as they come. @default true */
  readonly required?: boolean;
  /** HTTP: which exceptions are stored and given again. @default those with a status below 500 */
  readonly storeIf?: (exception: HttpException) => boolean;
  /** HTTP: headers of the answer that are given again. @default Location, Content-Type, Content-Language, Link */
  readonly headers?: readonly string[];
}

/** Metadata key, on an HTTP handler, of its spec. */
export const IDEMPOTENT_HANDLER = 'bedrock:idempotent';

type Reader<T> = (self: object, args: readonly unknown[]) => T;

/** What a method does about repeated calls. Frozen. */
export interface IdempotentSpec {
  readonly idempotency: string;
  readonly backend: string | undefined;
  /** Undefined where a header has the key. */
  readonly key: Reader<string> | undefined;
  readonly scope: Reader<string | number | undefined> | undefined;
  readonly payload: Reader<unknown> | undefined;
  readonly waitMs: number | undefined;
  /** In lower case, as Node gives it. */
  readonly header: string;
  readonly required: boolean;
  readonly storeIf: (exception: HttpException) => boolean;
  readonly headers: readonly string[];
}

const FIELDS: ReadonlySet<string> = new Set<keyof IdempotentOptions>([
  'idempotency', 'backend', 'key', 'scope', 'payload', 'waitMs', 'header', 'required', 'storeIf', 'headers',
]); // prettier-ignore
/** What RFC 9110 allows in the name of a header. */
const HEADER = /^[\w!#$%&'*+.^`|~-]{1,100}$/;
const SAFE_HEADERS: readonly string[] = ['location', 'content-type', 'content-language', 'link'];

/** @throws InvalidOptionError naming the field */
export function idempotentSpec<A extends unknown[]>(options: string | IdempotentOptions<A>): IdempotentSpec {
  if (typeof options === 'string') return idempotentSpec({ idempotency: options });
  checkFields('options', options, FIELDS);
  const { key, scope, payload, waitMs, backend, headers = SAFE_HEADERS, required = true } = options;
  const { header = 'idempotency-key', storeIf = isNoFault } = options;
  if (!Array.isArray(headers)) throw new InvalidOptionError('headers', 'a list of names', headers);
  return Object.freeze<IdempotentSpec>({
    idempotency: checkName('idempotency', options.idempotency),
    backend: backend === undefined ? undefined : checkName('backend', backend),
    key: key === undefined ? undefined : textReader('key', key),
    scope: scope === undefined ? undefined : scopeReader(scope),
    payload: payload === undefined ? undefined : functionReader(checkFunction('payload', payload)),
    waitMs: waitMs === undefined ? undefined : checkTime('waitMs', waitMs, 0),
    header: checkHeader('header', header),
    required: checkBoolean('required', required),
    storeIf: checkFunction('storeIf', storeIf),
    headers: Object.freeze(
      (headers as readonly unknown[]).map((name, at) => checkHeader(`headers.${at}`, name)),
    ),
  });
}

/** A server that failed may succeed when it is asked again. */
function isNoFault(exception: HttpException): boolean {
  return exception.getStatus() < 500;
}

function checkHeader(field: string, name: unknown): string {
  if (typeof name !== 'string' || !HEADER.test(name))
    throw new InvalidOptionError(field, 'the name of a header', name);
  return name.toLowerCase();
}

function scopeReader(scope: unknown): Reader<string | number | undefined> {
  return typeof scope === 'string'
    ? textReader('scope', scope)
    : functionReader(checkFunction('scope', scope) as never);
}

function textReader(field: string, value: unknown): Reader<string> {
  if (typeof value === 'string') {
    const template = new KeyTemplate(value, field);
    return (_self, args) => textOf(template.fill(args));
  }
  if (typeof value !== 'function') throw new InvalidOptionError(field, 'a template or a function', value);
  const read = functionReader(value as (...args: never[]) => unknown);
  return (self, args) => {
    const part = read(self, args);
    return typeof part === 'number' || typeof part === 'bigint' ? String(part) : (part as string);
  };
}

/** Several parts as JSON, so that different parts never give the same text. */
function textOf(parts: readonly KeyPart[]): string {
  return parts.length === 1 ? String(parts[0]) : JSON.stringify(parts.map(String));
}

function functionReader<T>(read: (...args: never[]) => T): Reader<T> {
  return (self, args) => read.apply(self, args as never[]);
}
