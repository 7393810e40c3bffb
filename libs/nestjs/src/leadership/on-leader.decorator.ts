import 'reflect-metadata';
import { InvalidOptionError, type LeaderTerm } from 'bedrock-lock';
import { checkFields, checkName, checkTime, MAX_TIMER_MS } from 'bedrock-lock/integration';
import { MethodMetadata, methodLabel } from '../core/method.metadata.js';
import { checkDecoratorTarget } from '../core/decorator-target.js';

/** Options of `@OnLeader()`. */
export interface OnLeaderOptions {
  /** Name of a lock that the module registers with `kind: 'leaderElection'`. */
  readonly election: string;
  /** Needed only if several backends register the same name. */
  readonly backend?: string;
  /**
   * Pause before this process stands again after a failure of the method, in ms. Doubles with each consecutive failure,
   * up to a minute.
   * @default 1000
   */
  readonly backOffMs?: number;
}

/** The body of a term. It ends when its promise settles. */
export type LeaderMethod = (term: LeaderTerm) => PromiseLike<unknown>;

/** A decorator for methods with no parameter but the term. */
export type LeaderMethodDecorator = <M extends LeaderMethod>(
  target: object,
  key: string | symbol,
  descriptor: TypedPropertyDescriptor<M>,
) => void;

/** A checked `@OnLeader()`. */
export interface LeaderSpec {
  readonly election: string;
  readonly backend: string | undefined;
  readonly backOffMs: number;
}

const FIELDS: ReadonlySet<string> = new Set<keyof OnLeaderOptions>(['election', 'backend', 'backOffMs']);

/** The `@OnLeader()` methods of every class. */
export const leaderMethods = new MethodMetadata<LeaderSpec>('bedrock:leader-methods');

/**
 * Runs the method while this process leads: once elected, the method gets the term, and the term ends with the method.
 * Then the process stands again. After a failure, which is logged, it pauses first.
 * The process stands from the end of the application's start until it closes. Then the term's signal aborts, and the
 * method has `shutdownGraceMs` to end, before `onModuleDestroy` of any other provider.
 * @throws InvalidOptionError at class definition, for a bad option or on anything but an instance method; an unknown
 * election, or a provider that does not live from start to end, stops the application's start
 */
export function OnLeader(options: string | OnLeaderOptions): LeaderMethodDecorator {
  const spec = leaderSpec(typeof options === 'string' ? { election: options } : options);
  return (target, key, descriptor) => {
    checkDecoratorTarget('@OnLeader()', { target, key, descriptor });
    if (leaderMethods.of(target).has(key)) {
      const requirement = `put once on ${methodLabel(target, key)}: a term of another election needs another method`;
      throw new InvalidOptionError('@OnLeader()', requirement, spec.election);
    }
    leaderMethods.set(target, key, spec);
  };
}

function leaderSpec(options: OnLeaderOptions): LeaderSpec {
  checkFields('options', options, FIELDS);
  const { election, backend, backOffMs = 1_000 } = options;
  return Object.freeze<LeaderSpec>({
    election: checkName('election', election),
    backend: backend === undefined ? undefined : checkName('backend', backend),
    backOffMs: checkTime('backOffMs', backOffMs, 0, MAX_TIMER_MS),
  });
}
