import { Inject, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService, HttpAdapterHost } from '@nestjs/core';
import { BedrockService } from '../registry/bedrock.service.js';
import { withErrorContext } from '../core/error-context.js';
import { hookIntoFastify, isFastify } from '../responses/fastify.hook.js';
import { checkInjectedLocks } from '../injection/injected-lock.checks.js';
import { IdempotentMethodChecks } from '../idempotency/idempotent-method.checks.js';
import { idempotentHandlersOf, idempotentMethods } from '../idempotency/idempotent.method.js';
import { LeaderMethods } from './leader.methods.js';
import { Leadership } from '../leadership/leadership.module.js';
import { LockRegistry } from '../registry/lock.registry.js';
import { LOCK_REGISTRY, LOCKS, LOG_CONTEXT } from '../core/lock.constants.js';
import { lockedMethods } from '../locking/locked.method.js';
import { checkLockedMethods } from '../locking/locked-method.checks.js';
import { prototypeChain, instancesOf, prototypeOf, type ProviderWrapper } from '../core/provider.wrapper.js';
import { putReplayFilterFirst } from '../responses/replay.filter.js';
import { isWithoutLocks } from '../registry/test.mode.js';

/**
 * Inspects every controller and provider before the first call: checks and logs the decorated methods, binds objects
 * made by factories, and finds leader candidates. Then waits for the backends. An error prevents the application's
 * start.
 */
@Injectable()
export class LockExplorer implements OnModuleInit {
  readonly #logger = new Logger(LOG_CONTEXT);

  constructor(
    @Inject(DiscoveryService) private readonly discovery: DiscoveryService,
    @Inject(LOCK_REGISTRY) private readonly registry: LockRegistry,
    @Inject(BedrockService) private readonly bedrock: BedrockService,
    @Inject(Leadership) private readonly leadership: Leadership,
    @Inject(HttpAdapterHost) private readonly adapters: HttpAdapterHost,
  ) {
    // Must run before Nest creates the routes, which precedes `onModuleInit`.
    for (const wrapper of discovery.getControllers())
      for (const prototype of prototypeChain(prototypeOf(wrapper)))
        for (const handler of idempotentHandlersOf(prototype)) putReplayFilterFirst(handler);
  }

  // This module is initialised first: its objects are bound before any other `onModuleInit` runs.
  async onModuleInit(): Promise<void> {
    try {
      const wrappers = [...this.discovery.getControllers(), ...this.discovery.getProviders()];
      if (!isWithoutLocks(this.registry)) {
        this.#exploreLocks(wrappers);
        this.#exploreLeaders(wrappers);
      }
      await this.registry.ready();
    } catch (error) {
      await this.registry.close({ graceMs: 0 });
      throw error;
    }
  }

  #exploreLocks(wrappers: readonly ProviderWrapper[]): void {
    const prototypes = new Set<object>();
    /** Prototypes of objects, without those that they inherit from. */
    const concrete = new Set<object>();
    for (const wrapper of wrappers) {
      const made = prototypeOf(wrapper);
      if (made !== null) concrete.add(made);
      for (const prototype of prototypeChain(made)) prototypes.add(prototype);
      for (const instance of instancesOf(wrapper)) {
        const chain = [...prototypeChain(Object.getPrototypeOf(instance) as object | null)];
        for (const prototype of chain.slice(0, 1)) concrete.add(prototype);
        for (const prototype of chain) prototypes.add(prototype);
        if (chain.some((one) => lockedMethods.of(one).size > 0 || idempotentMethods.of(one).size > 0)) {
          withErrorContext(`provider ${String(wrapper.name)}`, () => this.#bind(instance));
        }
      }
    }
    const idempotent = new IdempotentMethodChecks(this.registry);
    for (const prototype of prototypes) {
      checkInjectedLocks(prototype, this.registry);
      for (const method of checkLockedMethods(prototype, this.registry))
        this.#logger.debug(method.describe());
      const { debug, warn } = idempotent.check(prototype);
      for (const line of debug) this.#logger.debug(line);
      for (const line of warn) this.#logger.warn(line);
    }
    for (const prototype of concrete) idempotent.checkOperations(prototype);
    const { httpAdapter } = this.adapters;
    if (idempotent.hasHandlers && httpAdapter !== undefined && isFastify(httpAdapter))
      hookIntoFastify(httpAdapter);
  }

  #exploreLeaders(wrappers: readonly ProviderWrapper[]): void {
    const leaders = new LeaderMethods(this.registry);
    for (const wrapper of wrappers) {
      for (const candidate of leaders.of(wrapper)) {
        this.leadership.add(candidate);
        this.#logger.debug(candidate.describe());
      }
    }
  }

  #bind(instance: object & { [LOCKS]?: LockRegistry }): void {
    if (instance[LOCKS] !== this.registry) this.bedrock.bind(instance);
  }
}
