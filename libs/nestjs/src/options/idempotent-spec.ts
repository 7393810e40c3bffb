import { InvalidOptionError, type KeyPart } from 'bedrock-lock';
import { checkBoolean, checkFields, checkFunction, checkName, checkTime } from 'bedrock-lock/integration';
import { KeyTemplate } from '../keys/key.template.js';

/** Returns the key of a request from the call's arguments; `this` is the object. */
export type IdempotencyKeyFunction<A extends unknown[]> = (...args: A) => KeyPart;

/** Options of methods and handlers alike. */
export interface SharedIdempotentOptions {
  /** Name of a registered idempotency store. */
  readonly idempotency: string;
  /** Needed only if several backends register the same name. */
  readonly backend?: string;
  /**
   * Name of the method's operation: each operation has its own keys. Set it before you rename the class or method, or
   * if a bundler shortens names: a retry under the new name would run again. Methods with the same name share their
   * keys, and so do classes that inherit a method with a name.
   * @default the class of the object and the method, as `Orders.place`
   */
  readonly operation?: string;
  /** How long a repetition waits for the first request, in ms. @default that of the idempotency store */
  readonly waitMs?: number;
}

/** Keys of different scopes are different; undefined: all callers share their keys. */
export type IdempotencyScope = string | number | undefined;

/** Options of `@Idempotent()` on an ordinary method: the arguments contain the key. */
export interface IdempotentMethodOptions<A extends unknown[] = []> extends SharedIdempotentOptions {
  /** The key that repetitions share: a template over the arguments (`'{0.operationId}'`), or a function of them. */
  readonly key: string | IdempotencyKeyFunction<A>;
  /** The owner of the key: a template, or a function of the arguments. @default none: all callers share their keys */
  readonly scope?: string | ((...args: A) => IdempotencyScope);
  /** The value that must match under the same key. @default the arguments */
  readonly payload?: (...args: A) => unknown;
}

/** Options of `@Idempotent()` on an HTTP handler: a request header contains the key. */
export interface IdempotentHandlerOptions extends SharedIdempotentOptions {
  readonly key?: undefined;
  /**
   * The owner of the key: a fixed text, a function of the request, or the name of a request header. If the function
   * returns nothing, the response is 500; if the header is missing, 400.
   * @default none: all callers share their keys
   */
  readonly scope?: string | { readonly header: string } | ((request: never) => IdempotencyScope);
  /**
   * The value that must match under the same key. Required for multipart bodies and bodies read later; without it, such
   * requests get 415.
   * @default method, URL and body of the request
   */
  readonly payload?: (request: never) => unknown;
  /** Name of the header with the key. @default 'Idempotency-Key' */
  readonly header?: string;
  /** Refuse requests without a key with 400. False runs them without idempotency. @default true */
  readonly required?: boolean;
  /**
   * Selects the errors of the handler's body whose response is stored and replayed, with the status of the response. It
   * is not called for errors of pipes, guards and locks, nor for 408, 425, 429 and 5xx: after these, a retry runs
   * again.
   * @default all others
   */
  readonly storeIf?: (error: unknown, status: number) => boolean;
  /**
   * Response headers to store and replay, besides Content-Type and Content-Encoding.
   * @default all headers set after the handler's turn began, except Set-Cookie
   */
  readonly headers?: readonly string[];
}

/** Options of `@Idempotent()`. */
export type IdempotentOptions<A extends unknown[] = []> =
  IdempotentMethodOptions<A> | IdempotentHandlerOptions;

/** Metadata key of an HTTP handler's `IdempotentMethod`. */
export const IDEMPOTENT_HANDLER = 'bedrock:idempotent';

type Reader<T> = (self: object, args: readonly unknown[]) => T;

/** A checked `@Idempotent()`. Frozen. */
export interface IdempotentSpec {
  readonly idempotency: string;
  readonly backend: string | undefined;
  /** Undefined if the operation is named after the method. */
  readonly operation: string | undefined;
  /** Undefined if a header contains the key. */
  readonly key: Reader<string> | undefined;
  readonly scope: Reader<string | number | undefined> | undefined;
  /** Name of the header with the scope, in lower case. */
  readonly scopeHeader: string | undefined;
  readonly payload: Reader<unknown> | undefined;
  readonly waitMs: number | undefined;
  /** In lower case, as Node provides it. */
  readonly header: string;
  readonly required: boolean;
  readonly storeIf: (error: unknown, status: number) => boolean;
  /** In lower case. Undefined for the default. */
  readonly headers: readonly string[] | undefined;
}

/** Options of handlers that take their key from a header. */
const OF_HANDLERS = ['header', 'required', 'storeIf', 'headers'] as const;
const FIELDS: ReadonlySet<string> = new Set<keyof IdempotentHandlerOptions>([
  'idempotency', 'backend', 'operation', 'key', 'scope', 'payload', 'waitMs', ...OF_HANDLERS,
]); // prettier-ignore
/** Characters that RFC 9110 allows in a header name. */
const HEADER = /^[\w!#$%&'*+.^`|~-]{1,100}$/;
const LONGEST_OPERATION = 200;

/** @throws InvalidOptionError naming the field */
export function idempotentSpec<A extends unknown[]>(options: string | IdempotentOptions<A>): IdempotentSpec {
  if (typeof options === 'string') return idempotentSpec({ idempotency: options });
  checkFields('options', options, FIELDS);
  // Checked as options of a handler, whatever the caller passed.
  const given = options as Omit<IdempotentHandlerOptions, 'key'> & { readonly key?: unknown };
  const { key, scope, payload, waitMs, backend, operation, headers, required = true } = given;
  const { header = 'idempotency-key', storeIf = always } = given;
  const scopeHeader = scopeHeaderOf(scope);
  if (headers !== undefined && !Array.isArray(headers))
    throw new InvalidOptionError('headers', 'a list of names', headers);
  const spec = Object.freeze<IdempotentSpec>({
    idempotency: checkName('idempotency', given.idempotency),
    backend: backend === undefined ? undefined : checkName('backend', backend),
    operation: operation === undefined ? undefined : checkOperation(operation),
    key: key === undefined ? undefined : textReader('key', key),
    scope: scope === undefined || scopeHeader !== undefined ? undefined : scopeReader(scope),
    scopeHeader,
    payload: payload === undefined ? undefined : functionReader(checkFunction('payload', payload) as never),
    waitMs: waitMs === undefined ? undefined : checkTime('waitMs', waitMs, 0),
    header: checkHeader('header', header),
    required: checkBoolean('required', required),
    storeIf: checkFunction('storeIf', storeIf),
    headers:
      headers &&
      Object.freeze((headers as readonly unknown[]).map((name, at) => checkHeader(`headers.${at}`, name))),
  });
  const idle = key === undefined ? undefined : OF_HANDLERS.find((name) => given[name] !== undefined);
  if (idle !== undefined)
    throw new InvalidOptionError(
      idle,
      'left out when key is given: it applies to keys in a header',
      given[idle],
    );
  return spec;
}

function checkOperation(operation: unknown): string {
  checkName('operation', operation);
  if ((operation as string).length <= LONGEST_OPERATION) return operation as string;
  throw new InvalidOptionError('operation', `at most ${LONGEST_OPERATION} characters`, operation);
}

function scopeHeaderOf(scope: unknown): string | undefined {
  if (typeof scope !== 'object' || scope === null) return undefined;
  checkFields('scope', scope, new Set(['header']));
  return checkHeader('scope.header', (scope as { header?: unknown }).header);
}

const always = (): boolean => true;

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

/** Joins several parts as JSON, so that different parts never produce the same text. */
function textOf(parts: readonly KeyPart[]): string {
  return parts.length === 1 ? String(parts[0]) : JSON.stringify(parts.map(String));
}

function functionReader<T>(read: (...args: never[]) => T): Reader<T> {
  return (self, args) => read.apply(self, args as never[]);
}
