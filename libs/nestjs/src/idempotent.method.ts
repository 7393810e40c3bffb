import { Logger } from '@nestjs/common';
import { InvalidOptionError, type IdempotentRequest } from 'bedrock-lock';
import type { IdempotentSpec } from './idempotent-spec.js';
import { registryOf } from './bound.registry.js';
import { LockUnboundError } from './lock-unbound.error.js';
import { LOG_CONTEXT } from './lock.tokens.js';
import type { Method } from './locked.method.js';
import { MethodMetadata, methodLabel } from './method.metadata.js';
import { assertStorable, UnstorableResultError } from './method.result.js';
import { serializerRules, type SerializerRules } from './serializer.rules.js';
import { isWithoutLocks } from './test.mode.js';

const logger = new Logger(LOG_CONTEXT);

/** The methods of every class that run once for each key. */
export const idempotentMethods = new MethodMetadata<IdempotentMethod>('bedrock:idempotent-methods');

/** With the name of its operation. */
export type NamedSpec = IdempotentSpec & { readonly operation: string };

/** A method with `@Idempotent()`. */
export class IdempotentMethod {
  /** As `Orders.place()`, for messages. */
  readonly label: string;
  readonly spec: NamedSpec;
  /** Whether the operation is called what the options say, and not what the code says. */
  readonly isNamed: boolean;

  constructor(
    prototype: object,
    key: string | symbol,
    spec: IdempotentSpec,
    private readonly original: Method,
  ) {
    this.label = methodLabel(prototype, key);
    this.isNamed = spec.operation !== undefined;
    this.spec = Object.freeze({ ...spec, operation: spec.operation ?? this.label.replace(/\(\)$/, '') });
  }

  /** What the first call with the same key gave, or gives now; never runs without its record. */
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
      operation: spec.operation,
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

  /** @throws UnstorableResultError: the request has been completed, and repetitions get IDEMPOTENCY_RESULT */
  #storable(result: unknown, hasRules: SerializerRules): unknown {
    try {
      assertStorable(result, hasRules);
      return result;
    } catch (error) {
      // JSON says itself what it cannot do with a circle.
      if (error instanceof UnstorableResultError)
        logger.warn(`${this.label} cannot be replayed: ${error.message}`);
      throw error;
    }
  }
}
