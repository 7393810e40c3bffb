import 'reflect-metadata';
import { InvalidOptionError, type Idempotency } from 'bedrock-lock';
import { withErrorContext } from '../core/error-context.js';
import { handlerKind } from '../core/handler.kind.js';
import { idempotentMethods, type IdempotentMethod } from './idempotent.method.js';
import type { LockRegistry } from '../registry/lock.registry.js';
import { methodLabel } from '../core/method.metadata.js';
import { prototypeChain } from '../core/provider.wrapper.js';

/** Metadata key of `@Sse()`; Nest does not export the constant. */
const SENDS_EVENTS = '__sse__';

/** Log lines about methods with `@Idempotent()`. */
export interface IdempotentLogLines {
  readonly debug: readonly string[];
  readonly warn: readonly string[];
}

/** A method of one class's objects. */
interface IdempotentOperation {
  readonly method: IdempotentMethod;
  readonly prototype: object;
  /** As `Orders.place()`, for messages. */
  readonly label: string;
}

/** Checks of `@Idempotent()` methods that need the running application. */
export class IdempotentMethodChecks {
  /** By store and operation: the same store may be named with or without its backend. */
  readonly #seen = new Map<Idempotency, Map<string, IdempotentOperation>>();
  #hasHandlers = false;

  constructor(private readonly registry: LockRegistry) {}

  /** Whether any method is an HTTP handler with its key in a header. */
  get hasHandlers(): boolean {
    return this.#hasHandlers;
  }

  /**
   * Checks the methods of one prototype.
   * @throws InvalidOptionError naming the method: the store is not registered, `key` is missing outside an HTTP handler
   * or on one that sends events, or `key` is given on an HTTP handler
   */
  check(prototype: object): IdempotentLogLines {
    const warn: string[] = [];
    const debug = Array.from(idempotentMethods.of(prototype), ([key, method]) =>
      withErrorContext(method.label, () => {
        const { label, spec } = method;
        this.registry.idempotency(spec.idempotency, spec.backend);
        const value: unknown = Object.getOwnPropertyDescriptor(prototype, key)?.value;
        const isHttp = typeof value === 'function' && handlerKind(value) === 'an HTTP handler';
        // The body's value is not the response: a serializer may hide some of its fields.
        if (spec.key !== undefined && isHttp) {
          const requirement = 'left out on an HTTP handler: the header of its requests has the key (header)';
          throw new InvalidOptionError('key', requirement, spec.key);
        }
        if (spec.key === undefined && !isHttp)
          throw new InvalidOptionError('key', 'given on a method that is not an HTTP handler', undefined);
        if (spec.key === undefined) {
          this.#hasHandlers = true;
          if (Reflect.hasMetadata(SENDS_EVENTS, value as object))
            throw new InvalidOptionError(
              'idempotency',
              'used on a handler whose response ends',
              'a handler with @Sse()',
            );
        }
        if (spec.key !== undefined && spec.scopeHeader !== undefined)
          throw new InvalidOptionError('scope', 'a template or a function when key is given', 'a header');
        if (spec.key === undefined && spec.scope === undefined && spec.scopeHeader === undefined)
          warn.push(`${label} has no scope: all callers share their idempotency keys`);
        return `${label} runs once per ${spec.key === undefined ? `header ${spec.header}` : 'key'} of ${spec.idempotency}`;
      }),
    );
    return { debug, warn };
  }

  /**
   * Checks the operations of one class's objects, inherited methods included.
   * @param prototype of the objects
   * @throws InvalidOptionError if a method of another class has the same operation, unless both name it
   */
  checkOperations(prototype: object): void {
    for (const declaredOn of prototypeChain(prototype))
      for (const [key, method] of idempotentMethods.of(declaredOn)) {
        const label = methodLabel(prototype, key);
        withErrorContext(label, () => this.#assertUnique({ method, prototype, label }));
      }
  }

  #assertUnique(operation: IdempotentOperation): void {
    const { method, prototype } = operation;
    const store = this.registry.idempotency(method.spec.idempotency, method.spec.backend);
    const seen = this.#seen.get(store) ?? new Map<string, IdempotentOperation>();
    this.#seen.set(store, seen);
    const name = method.operationOn(prototype);
    const other = seen.get(name);
    if (other === undefined) seen.set(name, operation);
    else if (
      (other.method !== method || other.prototype !== prototype) &&
      !(other.method.isNamed && method.isNamed)
    ) {
      const requirement = `given on both, since ${other.label} has the same operation`;
      throw new InvalidOptionError('operation', requirement, name);
    }
  }
}
