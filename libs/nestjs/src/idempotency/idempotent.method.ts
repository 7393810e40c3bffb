import { Logger } from '@nestjs/common';
import { InvalidOptionError, type IdempotentRequest } from 'bedrock-lock';
import type { IdempotentSpec } from '../options/idempotent-spec.js';
import { registryOf } from '../registry/bound.registry.js';
import { LockUnboundError } from '../core/lock-unbound.error.js';
import { LOG_CONTEXT } from '../core/lock.constants.js';
import type { Method } from '../locking/locked.method.js';
import { MethodMetadata, methodLabel } from '../core/method.metadata.js';
import { assertStorable, UnstorableResultError } from './method.result.js';
import { prototypeChain } from '../core/provider.wrapper.js';
import { serializerRules, type SerializerRules } from './serializer.rules.js';
import { isWithoutLocks } from '../registry/test.mode.js';

const logger = new Logger(LOG_CONTEXT);

/** The `@Idempotent()` methods of every class. */
export const idempotentMethods = new MethodMetadata<IdempotentMethod>('bedrock:idempotent-methods');

/** The handlers of one prototype that take their key from a header. */
export function idempotentHandlersOf(prototype: object): readonly object[] {
  return [...idempotentMethods.of(prototype)].flatMap(([key, { spec }]) => {
    const value: unknown = Object.getOwnPropertyDescriptor(prototype, key)?.value;
    return spec.key === undefined && typeof value === 'function' ? [value] : [];
  });
}

/** A method with `@Idempotent()`. */
export class IdempotentMethod {
  /** As `Orders.place()`, for messages. */
  readonly label: string;

  constructor(
    private readonly declaredOn: object,
    private readonly key: string | symbol,
    readonly spec: IdempotentSpec,
    private readonly original: Method,
  ) {
    this.label = methodLabel(declaredOn, key);
  }

  /** Whether the options name the operation; otherwise the code does. */
  get isNamed(): boolean {
    return this.spec.operation !== undefined;
  }

  /**
   * The operation for objects of a class: the name in the options, else the class and the method, also for an inherited
   * method. If an override calls it, the override has that name, and the inherited one the names of both classes.
   * @param prototype of the object itself
   */
  operationOn(prototype: object): string {
    const { operation } = this.spec;
    if (operation !== undefined) return operation;
    const actual = [...prototypeChain(prototype)].find((one) => Object.hasOwn(one, this.key));
    const isOverridden = actual !== undefined && actual !== this.declaredOn;
    const name = isOverridden
      ? `${prototype.constructor.name}.${this.label}`
      : methodLabel(prototype, this.key);
    return name.replace(/\(\)$/, '');
  }

  /** The result of the first call with the same key, stored or running; never runs without its record. */
  async call(self: object, args: readonly unknown[]): Promise<unknown> {
    const registry = registryOf(self);
    if (registry === undefined) throw new LockUnboundError(this.label);
    if (isWithoutLocks(registry)) return this.original.apply(self, [...args]);
    const { spec } = this;
    const { scope: readScope, payload, waitMs } = spec;
    const scope = readScope?.(self, args);
    if (readScope !== undefined && scope === undefined)
      throw new InvalidOptionError('scope', `given for each call of ${this.label}`, undefined);
    const request: IdempotentRequest = {
      key: spec.key!(self, args),
      operation: this.operationOn(Object.getPrototypeOf(self) as object),
      payload: payload === undefined ? args : payload(self, args),
      ...(scope !== undefined && { scope }),
      ...(waitMs !== undefined && { waitMs }),
    };
    const hasRules = await serializerRules();
    const encode = (result: unknown): unknown => this.#storable(result, hasRules);
    const { value } = await registry
      .idempotency(spec.idempotency, spec.backend)
      .run(request, () => this.original.apply(self, [...args]), { encode });
    return value;
  }

  /** @throws UnstorableResultError: the request is completed, and repetitions get IDEMPOTENCY_RESULT */
  #storable(result: unknown, hasRules: SerializerRules): unknown {
    try {
      assertStorable(result, hasRules);
      return result;
    } catch (error) {
      // JSON itself reports a circular structure.
      if (error instanceof UnstorableResultError)
        logger.warn(`${this.label} cannot be replayed: ${error.message}`);
      throw error;
    }
  }
}
