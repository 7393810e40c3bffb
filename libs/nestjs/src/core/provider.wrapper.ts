import type { DiscoveryService } from '@nestjs/core';

/** Nest's record of a controller or provider. */
export type ProviderWrapper = ReturnType<DiscoveryService['getProviders']>[number];

/** Prototype of a class that Nest instantiates, now or for each request. */
export function prototypeOf({ metatype }: ProviderWrapper): object | null {
  return typeof metatype === 'function' ? (metatype.prototype as object | null) : null;
}

/** The instances that exist before the first request. */
export function instancesOf(wrapper: ProviderWrapper): readonly object[] {
  let instances: readonly unknown[] = [];
  if (wrapper.isTransient)
    instances = wrapper.getStaticTransientInstances().map((host) => host?.instance as unknown);
  else if (wrapper.isDependencyTreeStatic()) instances = [wrapper.instance];
  return instances.filter((instance) => typeof instance === 'object' && instance !== null);
}

/** True for one object that lives from the start of the application to its end. */
export function isSingleton(wrapper: ProviderWrapper): boolean {
  return !wrapper.isTransient && wrapper.isDependencyTreeStatic();
}

/** An object's prototype chain, without `Object.prototype`. */
export function* prototypeChain(prototype: object | null | undefined): Generator<object> {
  for (let one = prototype ?? null; one !== null && one !== Object.prototype;) {
    yield one;
    one = Object.getPrototypeOf(one) as object | null;
  }
}
