import {
  checkBoolean,
  checkFields,
  checkFunction,
  checkName,
  checkTime,
  InvalidOptionError,
  type KeyPart,
} from 'bedrock-lock';
import { KeyTemplate } from '../keys/key.template.js';

/** Gives the key of a request from the arguments of the call; `this` is the object. */
export type IdempotencyKeyFunction<A extends unknown[]> = (...args: A) => KeyPart;

interface SharedIdempotentOptions {
  /** Name of one of the module's `idempotency`. */
  readonly idempotency: string;
  /** Needed only where the same name is registered on several backends. */
  readonly backend?: string;
  /**
   * What the method does: the same key of another operation is another key. Give it a name before the class or the method is
   * renamed, or where a bundler shortens names: a retry that meets the new name runs again. Two methods that give the same name
   * share their keys, and so do the classes that inherit a method with a name.
   * @default the class of the object and the method, as `Orders.place`
   */
  readonly operation?: string;
  /** How long a repetition waits for the first request, in ms. @default that of the idempotency */
  readonly waitMs?: number;
}

type IdempotencyScope = string | number | undefined;

/** Options of `@Idempotent()` on a method that is no HTTP handler: the arguments have the key. */
export interface IdempotentMethodOptions<A extends unknown[] = []> extends SharedIdempotentOptions {
  /** What repetitions have in common: a template over the arguments (`'{0.operationId}'`), or a function of them. */
  readonly key: string | IdempotencyKeyFunction<A>;
  /** Whose key it is: a template, or a function of the arguments. @default none: the keys of all callers meet */
  readonly scope?: string | ((...args: A) => IdempotencyScope);
  /** What must be the same under the same key. @default the arguments */
  readonly payload?: (...args: A) => unknown;
}

/** Options of `@Idempotent()` on an HTTP handler: a header of the request has the key. */
export interface IdempotentHandlerOptions extends SharedIdempotentOptions {
  readonly key?: undefined;
  /**
   * Whose key it is: a fixed text, a function of the request, or the name of a header of it. A function that gives nothing is a
   * fault of the server (500), a request without the header one of the client (400).
   * @default none: the keys of all callers meet
   */
  readonly scope?: string | { readonly header: string } | ((request: never) => IdempotencyScope);
  /**
   * What must be the same under the same key. Needed where the body of a request is multipart, or is read later than here: such
   * requests are refused with 415 without it. @default method, URL and body of the request
   */
  readonly payload?: (request: never) => unknown;
  /** Name of the header with the key. @default 'Idempotency-Key' */
  readonly header?: string;
  /** Refuse requests without a key with 400. False runs them as they come. @default true */
  readonly required?: boolean;
  /**
   * Of which errors of the handler's body the response is stored and replayed, with the status that goes out. It is not asked
   * about errors of pipes, guards and locks, nor about 408, 425, 429 and 5xx, after which a retry runs again.
   * @default all others
   */
  readonly storeIf?: (error: unknown, status: number) => boolean;
  /**
   * Headers of the response that are stored and replayed, beside Content-Type and Content-Encoding.
   * @default all that are set once the handler's turn has come, but Set-Cookie
   */
  readonly headers?: readonly string[];
}

/** Options of `@Idempotent()`. */
export type IdempotentOptions<A extends unknown[] = []> =
  IdempotentMethodOptions<A> | IdempotentHandlerOptions;

/** Metadata key, on an HTTP handler, of its `IdempotentMethod`. */
export const IDEMPOTENT_HANDLER = 'bedrock:idempotent';

type Reader<T> = (self: object, args: readonly unknown[]) => T;

/** What a method does about repeated calls. Frozen. */
export interface IdempotentSpec {
  readonly idempotency: string;
  readonly backend: string | undefined;
  /** Undefined where it is the name of the method. */
  readonly operation: string | undefined;
  /** Undefined where a header has the key. */
  readonly key: Reader<string> | undefined;
  readonly scope: Reader<string | number | undefined> | undefined;
  /** The header that has the scope, in lower case. */
  readonly scopeHeader: string | undefined;
  readonly payload: Reader<unknown> | undefined;
  readonly waitMs: number | undefined;
  /** In lower case, as Node gives it. */
  readonly header: string;
  readonly required: boolean;
  readonly storeIf: (error: unknown, status: number) => boolean;
  /** In lower case. Undefined for the default. */
  readonly headers: readonly string[] | undefined;
}

/** What only a handler has whose key stands in a header. */
const OF_HANDLERS = ['header', 'required', 'storeIf', 'headers'] as const;
const FIELDS: ReadonlySet<string> = new Set<keyof IdempotentHandlerOptions>([
  'idempotency', 'backend', 'operation', 'key', 'scope', 'payload', 'waitMs', ...OF_HANDLERS,
]); // prettier-ignore
/** What RFC 9110 allows in the name of a header. */
const HEADER = /^[\w!#$%&'*+.^`|~-]{1,100}$/;
const LONGEST_OPERATION = 200;

/** @throws InvalidOptionError naming the field */
export function idempotentSpec<A extends unknown[]>(options: string | IdempotentOptions<A>): IdempotentSpec {
  if (typeof options === 'string') return idempotentSpec({ idempotency: options });
  checkFields('options', options, FIELDS);
  // Checked as what a handler may give, whatever was given.
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
      'left out where key is given: it is for keys in a header',
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

/** Several parts as JSON, so that different parts never give the same text. */
function textOf(parts: readonly KeyPart[]): string {
  return parts.length === 1 ? String(parts[0]) : JSON.stringify(parts.map(String));
}

function functionReader<T>(read: (...args: never[]) => T): Reader<T> {
  return (self, args) => read.apply(self, args as never[]);
}
