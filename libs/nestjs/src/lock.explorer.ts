import { Inject, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { BedrockService } from './bedrock.service.js';
import { at } from './error.place.js';
import { LockRegistry } from './lock.registry.js';
import { LOCK_REGISTRY, LOCKS, LOG_CONTEXT } from './lock.tokens.js';
import { lockedMethods } from './locked.method.js';
import { checkLockedMethods } from './locked-method.checks.js';

type Wrapper = ReturnType<DiscoveryService['getProviders']>[number];

/**
 * Looks at every controller and provider before the first call: checks the decorated methods, lists them at debug level,
 * and binds the objects that factories made. Then waits for the backends. When it throws, the application does not start.
 */
@Injectable()
export class LockExplorer implements OnModuleInit {
  readonly #logger = new Logger(LOG_CONTEXT);

  constructor(
    @Inject(DiscoveryService) private readonly discovery: DiscoveryService,
    @Inject(LOCK_REGISTRY) private readonly registry: LockRegistry,
    @Inject(BedrockService) private readonly bedrock: BedrockService,
  ) {}

  // Our module is initialised first: no other `onModuleInit` runs before its objects are bound.
  async onModuleInit(): Promise<void> {
    try {
      this.#explore();
      await this.registry.ready();
    } catch (error) {
      await this.registry.close({ graceMs: 0 });
      throw error;
    }
  }

  #explore(): void {
    const wrappers = [...this.discovery.getControllers(), ...this.discovery.getProviders()];
    const prototypes = new Set<object>();
    for (const wrapper of wrappers) {
      for (const prototype of chainOf(prototypeOf(wrapper))) prototypes.add(prototype);
      for (const instance of instancesOf(wrapper)) {
        const chain = [...chainOf(Object.getPrototypeOf(instance) as object | null)];
        for (const prototype of chain) prototypes.add(prototype);
        if (chain.some((prototype) => lockedMethods.of(prototype).size > 0)) {
          at(`provider ${String(wrapper.name)}`, () => this.#bind(instance));
        }
      }
    }
    for (const prototype of prototypes) {
      for (const method of checkLockedMethods(prototype, this.registry))
        this.#logger.debug(method.describe());
    }
  }

  #bind(instance: object & { [LOCKS]?: LockRegistry }): void {
    if (instance[LOCKS] !== this.registry) this.bedrock.bind(instance);
  }
}

/** Of a class that Nest makes, now or for each request. */
function prototypeOf({ metatype }: Wrapper): object | null {
  return typeof metatype === 'function' ? (metatype.prototype as object | null) : null;
}

function instancesOf(wrapper: Wrapper): readonly object[] {
  let instances: readonly unknown[] = [];
  if (wrapper.isTransient)
    instances = wrapper.getStaticTransientInstances().map((host) => host?.instance as unknown);
  else if (wrapper.isDependencyTreeStatic()) instances = [wrapper.instance];
  return instances.filter((instance) => typeof instance === 'object' && instance !== null);
}

function* chainOf(prototype: object | null | undefined): Generator<object> {
  for (let one = prototype ?? null; one !== null && one !== Object.prototype;) {
    yield one;
    one = Object.getPrototypeOf(one) as object | null;
  }
}
