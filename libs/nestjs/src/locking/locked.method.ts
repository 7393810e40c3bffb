import 'reflect-metadata';
import { InvalidOptionError, type KeyPart, type Acquirable } from 'bedrock-lock';
import { Observable, type ObservableInput } from 'rxjs';
import { registryOf } from '../registry/bound.registry.js';
import { addErrorContext } from '../core/error-context.js';
import { holdLocks, type LockedCall } from './hold-locks.js';
import { inLockOrder, type RequiredLock } from './required-lock.js';
import type { MethodResultKind } from '../options/lock.options.js';

import type { KeyReader, LockSpec } from '../options/lock-spec.js';
import type { LockReference } from '../core/lock-reference.js';
import { lockKeys } from '../keys/lock-key.metadata.js';
import { LockUnboundError } from '../core/lock-unbound.error.js';
import { lockedIterator } from './locked.iterator.js';
import { lockedObservable } from './locked.observable.js';
import { lockedPromise } from './locked.promise.js';
import { MethodMetadata, methodLabel } from '../core/method.metadata.js';
import type { MissedTicks } from './scheduled.method.js';
import { testModeOf } from '../registry/test.mode.js';

/** A method, possibly wrapped by another decorator. */
export type Method = (this: object, ...args: unknown[]) => unknown;

/** The `@DistributedLock()` methods of every class. */
export const lockedMethods = new MethodMetadata<LockedMethod>('bedrock:locked-methods');

const AsyncGeneratorFunction = async function* () {}.constructor;

/** A decorated method with all of its locks, behind one wrapper. */
export class LockedMethod {
  /** As `Orders.place()`, for messages. */
  readonly label: string;
  /** As `Orders.place`, for spans. */
  readonly #name: string;
  readonly #original: Method;
  /** The locks that it acquires again further down, below another decorator. */
  readonly innerSpecs: readonly LockSpec[];
  readonly #keyOfParameters: KeyReader | undefined;
  /** Set at the start for a method that a scheduler calls. */
  ticks: MissedTicks | undefined;
  #specs: readonly LockSpec[];
  #kind: MethodResultKind;

  /**
   * @param inner the same method as locked further down, if another decorator has wrapped it since. Its locks are
   * acquired here too, so that all follow one order; further down they are re-entered.
   */
  constructor(prototype: object, key: string | symbol, original: Method, inner?: LockedMethod) {
    this.label = methodLabel(prototype, key);
    this.#name = this.label.replace(/\(\)$/, '');
    this.#original = original;
    this.#keyOfParameters = keyOfParameters(prototype, key);
    this.innerSpecs = inner?.specs ?? [];
    this.#specs = this.innerSpecs;
    this.#kind = inner === undefined ? kindOf(prototype, key, original) : inner.#kind;
  }

  /** Its locks, uppermost decorator first. */
  get specs(): readonly LockSpec[] {
    return this.#specs;
  }

  /** Adds a lock of a decorator above the earlier ones. @throws InvalidOptionError('returns') */
  add(spec: LockSpec): void {
    const { returns } = spec;
    if (returns !== undefined && this.#specs.some((other) => (other.returns ?? returns) !== returns)) {
      throw new InvalidOptionError(`returns of ${this.label}`, 'the same in all of its decorators', returns);
    }
    this.#specs = [spec, ...this.#specs];
    this.#kind = returns ?? this.#kind;
  }

  /** One log line: `Orders.place() locks inventory:{0.id}`. */
  describe(): string {
    const locks = this.#specs.map((spec) => {
      const { lock, backend } = spec;
      const shownKey = shownKeyOf(spec) ?? (this.#keyOfParameters === undefined ? '' : ':<@LockKey()>');
      return `${lock}${shownKey}${shownReference(spec)}${backend === undefined ? '' : ` on ${backend}`}`;
    });
    return `${this.label} locks ${locks.join(', ')}`;
  }

  /** Runs the method under its locks; never without them. */
  call(self: object, args: unknown[]): unknown {
    const body = (): unknown => this.#original.apply(self, args);
    const runAsHeld = this.#recordCall(self, args);
    if (runAsHeld !== undefined) return runAsHeld(body);
    switch (this.#kind) {
      case 'observable':
        return lockedObservable(
          (held, signal) => holdLocks(this.#prepare(self, args), held, signal),
          () => body() as ObservableInput<unknown>,
        );
      case 'asyncIterator':
        return lockedIterator(
          (held) => holdLocks(this.#prepare(self, args), held),
          () => body() as AsyncIterable<unknown>,
        );
      case 'promise':
        return this.#callPromise(self, args, body);
    }
  }

  /** In a test that wants no locks: what runs the body as if they were held. */
  #recordCall(self: object, args: readonly unknown[]): ((body: () => unknown) => unknown) | undefined {
    const registry = registryOf(self);
    const mode = registry && testModeOf(registry);
    if (mode === undefined) return undefined;
    const calls = this.#specs.flatMap((spec) =>
      this.#keysOf(spec, self, args).map((key) => ({ method: this.label, lock: spec.lock, key: key ?? [] })),
    );
    mode.recorded.calls.push(...calls);
    return mode.isLocking ? undefined : (body) => mode.recorded.runAsHeld(calls, body);
  }

  /** The parts of each key; undefined for the whole lock. */
  #keysOf(
    spec: LockSpec,
    self: object,
    args: readonly unknown[],
  ): readonly (readonly KeyPart[] | undefined)[] {
    if (spec.keys !== undefined) return spec.keys(self, args);
    const key = spec.key ?? this.#keyOfParameters;
    return [key?.(self, args)];
  }

  // A missing lock or key rejects: the declared Promise makes the caller expect it.
  #callPromise(self: object, args: unknown[], body: () => unknown): Promise<unknown> {
    let call: LockedCall;
    try {
      call = this.#prepare(self, args);
    } catch (error) {
      return rejection(error);
    }
    const { ticks } = this;
    if (ticks === undefined) return lockedPromise(this.label, call, body);
    return ticks.run(registryOf(self)!, args, (began) =>
      lockedPromise(this.label, call, () => {
        began();
        return body();
      }),
    );
  }

  /** @throws LockUnboundError, InvalidOptionError for an unknown lock or a bad key */
  #prepare(self: object, args: readonly unknown[]): LockedCall {
    const registry = registryOf(self);
    if (registry === undefined) throw new LockUnboundError(this.label);
    const requiredLocks: RequiredLock[] = [];
    for (const spec of this.#specs) {
      const { lock, backend } = registry.boundLockOf(spec);
      const add = (narrowed: Acquirable): unknown => requiredLocks.push({ lock: narrowed, backend, spec });
      try {
        for (const parts of this.#keysOf(spec, self, args))
          add(parts === undefined ? lock : lock.for(...(parts as [KeyPart])));
      } catch (error) {
        throw addErrorContext(error, `${this.label}, lock "${spec.lock}"`);
      }
    }
    return { method: this.#name, registry, self, args, requiredLocks: inLockOrder(requiredLocks) };
  }
}

function shownKeyOf({ template, key, keys }: LockSpec): string | undefined {
  if (keys !== undefined) return ':<keys>';
  if (template !== undefined) return `:${template.text}`;
  return key === undefined ? undefined : ':<function>';
}

function shownReference({ mode, permits }: LockReference): string {
  if (mode !== undefined) return ` (${mode})`;
  return permits === undefined ? '' : ` (${permits} permits)`;
}

async function rejection(error: unknown): Promise<never> {
  throw error;
}

function keyOfParameters(prototype: object, key: string | symbol): KeyReader | undefined {
  const parameters = lockKeys.of(prototype).get(key);
  return parameters && ((_self, args) => parameters.map((parameter) => parameter.read(args)));
}

/** Inferred from the declaration: the function itself for a generator, `design:returntype` for an Observable. */
function kindOf(prototype: object, key: string | symbol, original: Method): MethodResultKind {
  if (original instanceof AsyncGeneratorFunction) return 'asyncIterator';
  const declared: unknown = Reflect.getMetadata('design:returntype', prototype, key);
  if (typeof declared !== 'function') return 'promise';
  const isObservable =
    declared === Observable || declared.prototype instanceof Observable || declared.name === 'Observable';
  return isObservable ? 'observable' : 'promise';
}
