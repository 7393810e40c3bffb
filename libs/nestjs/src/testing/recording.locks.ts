import { Idempotency, ReadWriteLock, type IdempotentRequest, type KeyPart } from 'bedrock-lock';
import type { RecordedCall, RecordedLocks } from '../core/recorded.locks.js';

/** Methods that request a lock. */
const ACQUIRE_METHODS: ReadonlySet<string | symbol> = new Set([
  'run',
  'acquire',
  'tryAcquire',
  'lock',
  'tryLock',
]);

type AnyFunction = (...args: unknown[]) => unknown;

/** Wraps the locks of one test and records direct calls on them. */
export class RecordingLocks {
  /** By original and by double: a lock injected twice is the same object. */
  readonly #doubles = new WeakMap<object, object>();

  constructor(private readonly recorded: RecordedLocks) {}

  /** A double of the same class as the given lock or idempotency. */
  of<T extends { readonly name: string }>(one: T): T {
    const double =
      one instanceof Idempotency
        ? this.#double(one, () => this.#idempotency(one))
        : this.#lock(one, { lock: one.name, key: [] });
    return double as T;
  }

  #lock(target: object, of: Pick<RecordedCall, 'lock' | 'key'>): object {
    const instead = (name: string | symbol, value: unknown): unknown => {
      if (name === 'for') {
        return (...parts: KeyPart[]) =>
          this.#lock((value as AnyFunction).apply(target, parts) as object, {
            ...of,
            key: [...of.key, ...parts],
          });
      }
      if (ACQUIRE_METHODS.has(name)) {
        return (...args: unknown[]) => {
          const method = `${target.constructor.name}.${String(name)}()`;
          this.recorded.calls.push({ method, ...of });
          return this.recorded.as(method, () => (value as AnyFunction).apply(target, args));
        };
      }
      const isSide = target instanceof ReadWriteLock && (name === 'read' || name === 'write');
      return isSide ? this.#lock(value as object, of) : undefined;
    };
    return this.#double(target, () => forwarding(target, instead));
  }

  #idempotency(target: Idempotency): object {
    return forwarding(target, (name, value) => {
      if (name !== 'run') return undefined;
      return (request: IdempotentRequest, ...others: unknown[]) => {
        const { key, operation, scope } = request;
        this.recorded.requests.push({ idempotency: target.name, key, operation, scope });
        return (value as AnyFunction).call(target, request, ...others);
      };
    });
  }

  #double(target: object, make: () => object): object {
    const known = this.#doubles.get(target);
    if (known !== undefined) return known;
    const made = make();
    this.#doubles.set(target, made).set(made, made);
    return made;
  }
}

/** @param instead provides a property's replacement; undefined keeps its value */
function forwarding(target: object, instead: (name: string | symbol, value: unknown) => unknown): object {
  return new Proxy(target, {
    get(_target, name) {
      const value: unknown = Reflect.get(target, name, target);
      const other = instead(name, value);
      if (other !== undefined) return other;
      // Private fields belong to the target.
      return typeof value === 'function' && name !== 'constructor' ? (value.bind(target) as unknown) : value;
    },
  });
}
