import type { DiscoveryService } from '@nestjs/core';

/** What Nest keeps of a controller or provider. */
export type ProviderWrapper = ReturnType<DiscoveryService['getProviders']>[number];

/** Of a class that Nest makes, now or for each request. */
export function prototypeOf({ metatype }: ProviderWrapper): object | null {
  return typeof metatype === 'function' ? (metatype.prototype as object | null) : null;
}

/** The objects that are there before the first request. */
export function instancesOf(wrapper: ProviderWrapper): readonly object[] {
  let instances: readonly unknown[] = [];
  if (wrapper.isTransient)
    instances = wrapper.getStaticTransientInstances().map((host) => host?.instance as unknown);
  else if (wrapper.isDependencyTreeStatic()) instances = [wrapper.instance];
  return instances.filter((instance) => typeof instance === 'object' && instance !== null);
}

/** One object from the start of the application to its end. */
export function isSingleton(wrapper: ProviderWrapper): boolean {
  return !wrapper.isTransient && wrapper.isDependencyTreeStatic();
}

/** An object's prototype and those above it, without that of all objects. */
export function* prototypeChain(prototype: object | null | undefined): Generator<object> {
  for (let one = prototype ?? null; one !== null && one !== Object.prototype;) {
    yield one;
    one = Object.getPrototypeOf(one) as object | null;
  }
}
