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
   * What the method does: the same key of another operation is another key. Give it a name before the class or the method is
   * renamed, or where a bundler shortens names: a retry that meets the new name runs again. Two methods that give the same name
   * share their keys. @default the class and the method, as `Orders.place`
   */
  readonly operation?: string;
  /**
   * What repetitions have in common: a template over the arguments (`'{0.operationId}'`), or a function of them. Left out on
   * an HTTP handler, it is the header.
   */
  readonly key?: string | IdempotencyKeyFunction<A>;
  /**
   * Whose key it is: a template, or a function of the arguments; on an HTTP handler without `key` a function of the request, or
   * the name of a header of it. A function that gives nothing is a fault of the server (500), a request without the header one
   * of the client (400). @default none: the keys of all callers meet
   */
  readonly scope?: string | { readonly header: string } | ((...args: never[]) => string | number | undefined);
  /** What must be the same under the same key. @default the arguments; of an HTTP request its method, URL and body */
  readonly payload?: (...args: never[]) => unknown;
  /** How long a repetition waits for the first request, in ms. @default that of the idempotency */
  readonly waitMs?: number;
  /** HTTP: name of the header with the key. @default 'Idempotency-Key' */
  readonly header?: string;
  /** HTTP: refuse requests without a key with 400. False runs them as they come. @default true */
  readonly required?: boolean;
  /**
   * HTTP: of which errors of the handler's body the answer is stored and given again, with the status that goes out. It is not
   * asked about errors of pipes, guards and locks, nor about 408, 425, 429 and 5xx, after which a retry runs again.
   * @default all others
   */
  readonly storeIf?: (error: unknown, status: number) => boolean;
  /**
   * HTTP: headers of the answer that are stored and given again, beside Content-Type and Content-Encoding.
   * @default all that are set once the handler's turn has come, but Set-Cookie
   */
  readonly headers?: readonly string[];
}

/** Metadata key, on an HTTP handler, of its spec. */
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

const FIELDS: ReadonlySet<string> = new Set<keyof IdempotentOptions>([
  'idempotency', 'backend', 'operation', 'key', 'scope', 'payload', 'waitMs', 'header', 'required', 'storeIf', 'headers',
]); // prettier-ignore
/** What RFC 9110 allows in the name of a header. */
const HEADER = /^[\w!#$%&'*+.^`|~-]{1,100}$/;
const LONGEST_OPERATION = 200;

/** @throws InvalidOptionError naming the field */
export function idempotentSpec<A extends unknown[]>(options: string | IdempotentOptions<A>): IdempotentSpec {
  if (typeof options === 'string') return idempotentSpec({ idempotency: options });
  checkFields('options', options, FIELDS);
  const { key, scope, payload, waitMs, backend, operation, headers, required = true } = options;
  const { header = 'idempotency-key', storeIf = always } = options;
  const scopeHeader = scopeHeaderOf(scope);
  if (headers !== undefined && !Array.isArray(headers))
    throw new InvalidOptionError('headers', 'a list of names', headers);
  return Object.freeze<IdempotentSpec>({
    idempotency: checkName('idempotency', options.idempotency),
    backend: backend === undefined ? undefined : checkName('backend', backend),
    operation: operation === undefined ? undefined : checkOperation(operation),
    key: key === undefined ? undefined : textReader('key', key),
    scope: scope === undefined || scopeHeader !== undefined ? undefined : scopeReader(scope),
    scopeHeader,
    payload: payload === undefined ? undefined : functionReader(checkFunction('payload', payload)),
    waitMs: waitMs === undefined ? undefined : checkTime('waitMs', waitMs, 0),
    header: checkHeader('header', header),
    required: checkBoolean('required', required),
    storeIf: checkFunction('storeIf', storeIf),
    headers:
      headers &&
      Object.freeze((headers as readonly unknown[]).map((name, at) => checkHeader(`headers.${at}`, name))),
  });
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
