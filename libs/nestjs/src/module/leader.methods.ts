import { InvalidOptionError, LeaderElection } from 'bedrock-lock';
import { withErrorContext } from '../core/error-context.js';
import { LeaderCandidate } from '../leadership/leader.candidate.js';
import { nameLeader } from '../registry/lock.log.js';
import type { LockRegistry, RegisteredLock } from '../registry/lock.registry.js';
import { methodLabel } from '../core/method.metadata.js';
import { leaderMethods, type LeaderMethod, type LeaderSpec } from '../leadership/on-leader.decorator.js';
import {
  prototypeChain,
  instancesOf,
  isSingleton,
  prototypeOf,
  type ProviderWrapper,
} from '../core/provider.wrapper.js';

/** A decorated method of one class, inherited or its own. */
interface FoundMethod {
  readonly label: string;
  readonly key: string | symbol;
  readonly spec: LeaderSpec;
}

/** Collects the decorated methods of an application, at most one for each election. */
export class LeaderMethods {
  readonly #registry: LockRegistry;
  readonly #seen = new Set<object>();
  readonly #leaders = new Map<RegisteredLock, string>();

  constructor(registry: LockRegistry) {
    this.#registry = registry;
  }

  /**
   * New candidates of a provider.
   * @throws InvalidOptionError naming the method: an election that is not registered or already has a method; a
   * provider that is not one object from start to end
   */
  *of(wrapper: ProviderWrapper): Generator<LeaderCandidate> {
    for (const { label, spec } of methodsOf(prototypeOf(wrapper))) {
      withErrorContext(label, () => this.#check(spec, wrapper));
    }
    for (const instance of instancesOf(wrapper)) {
      if (this.#seen.has(instance)) continue;
      this.#seen.add(instance);
      for (const found of methodsOf(Object.getPrototypeOf(instance) as object | null)) {
        yield withErrorContext(found.label, () => this.#candidate(instance, found));
      }
    }
  }

  #check({ election }: LeaderSpec, wrapper: ProviderWrapper): void {
    if (isSingleton(wrapper)) return;
    const requirement = 'in a provider of the default scope: an election needs one object from start to end';
    throw new InvalidOptionError('@OnLeader()', requirement, election);
  }

  #candidate(instance: object, { label, key, spec }: FoundMethod): LeaderCandidate {
    const registered = this.#registry.find({ ...spec, lock: spec.election, kind: 'leaderElection' });
    const { lock: election, backend, kind } = registered;
    if (!(election instanceof LeaderElection)) {
      const requirement = `registered with kind: 'leaderElection', and "${spec.election}" is a ${kind}`;
      throw new InvalidOptionError('election', requirement, spec.election);
    }
    const other = this.#leaders.get(registered);
    if (other !== undefined) {
      const requirement = `led by one method of one provider, which may call others; ${other} leads "${spec.election}" already`;
      throw new InvalidOptionError('election', requirement, spec.election);
    }
    this.#leaders.set(registered, label);
    const bedrock = this.#registry.bedrock(backend);
    nameLeader(bedrock, election.resource, label);
    const methods = instance as Record<string | symbol, LeaderMethod>;
    return new LeaderCandidate({
      label,
      election,
      bedrock,
      body: (term) => methods[key]!(term),
      backOffMs: spec.backOffMs,
      clock: this.#registry.clock,
      graceMs: this.#registry.graceMs,
    });
  }
}

/** The decorated methods of a class and its bases, except those overridden without the decorator. */
function* methodsOf(prototype: object | null): Generator<FoundMethod> {
  const met = new Set<string | symbol>();
  for (const one of prototypeChain(prototype)) {
    for (const [key, spec] of leaderMethods.of(one)) {
      if (!met.has(key)) yield { label: methodLabel(prototype!, key), key, spec };
    }
    for (const key of Reflect.ownKeys(one)) met.add(key);
  }
}
