import 'reflect-metadata';

/** A lock that a class injects. */
export interface InjectedLock {
  readonly lock: string;
  readonly backend: string | undefined;
  /** Index of the constructor's parameter, or the property. */
  readonly place: number | string | symbol;
}

const KEY = 'bedrock:injected-locks';

/** The targets of `@InjectLock()`: constructors for parameters, prototypes for properties. */
export const injectedLocks = {
  add(target: object, injected: InjectedLock): void {
    Reflect.defineMetadata(KEY, [...this.of(target), injected], target);
  },

  /** Excludes the locks of base classes. */
  of(target: object): readonly InjectedLock[] {
    return (Reflect.getOwnMetadata(KEY, target) as readonly InjectedLock[] | undefined) ?? [];
  },

  /** The declared type, as the compiler emitted it. */
  declared(target: object, { place }: InjectedLock): unknown {
    if (typeof place !== 'number') return Reflect.getMetadata('design:type', target, place);
    return (Reflect.getOwnMetadata('design:paramtypes', target) as readonly unknown[] | undefined)?.[place];
  },
};
