import type { IdempotentRequest } from 'bedrock-lock';
import { idempotencyOf } from './idempotency.registered.js';
import type { IdempotentSpec } from './idempotent-spec.js';
import type { LockRegistry } from './lock.registry.js';
import { LOCKS } from './lock.tokens.js';
import { LockUnboundError } from './lock-unbound.error.js';
import type { Method } from './locked.method.js';
import { MethodMetadata, methodLabel } from './method.metadata.js';

/** The methods of every class that run once for each key. */
export const idempotentMethods = new MethodMetadata<IdempotentMethod>('bedrock:idempotent-methods');

/** A method with `@Idempotent()`. */
export class IdempotentMethod {
  /** As `Orders.place()`, for messages. */
  readonly label: string;

  constructor(
    prototype: object,
    key: string | symbol,
    readonly spec: IdempotentSpec,
    private readonly original: Method,
  ) {
    this.label = methodLabel(prototype, key);
  }

  /** What the first call with the same key gave, or gives now; never runs without its record. */
  async call(self: object, args: readonly unknown[]): Promise<unknown> {
    const registry = (self as { [LOCKS]?: LockRegistry } | undefined)?.[LOCKS];
    if (registry === undefined) throw new LockUnboundError(this.label);
    const { spec } = this;
    const { scope: readScope, payload, waitMs } = spec;
    const scope = readScope?.(self, args);
    const request: IdempotentRequest = {
      key: spec.key!(self, args),
      payload: payload === undefined ? args : payload(self, args),
      ...(scope !== undefined && { scope }),
      ...(waitMs !== undefined && { waitMs }),
    };
    const { value } = await idempotencyOf(registry, spec).run(request, () =>
      this.original.apply(self, [...args]),
    );
    return value;
  }
}
