import type { StreamableFile } from '@nestjs/common';

type AnyMethod = (...args: never[]) => unknown;

/** Compiles only if the method's arguments fit a function over `A`. */
export type Accepts<A extends unknown[], M extends AnyMethod> = ((...args: A) => void) extends (
  ...args: Parameters<M>
) => void
  ? unknown
  : ArgumentsDoNotFit<A, Parameters<M>>;

/** Shown by the compiler instead of a bare `never`. */
export interface ArgumentsDoNotFit<Wanted, Given> {
  readonly 'a function of the options wants other arguments than the method gets': readonly [Wanted, Given];
}

/** Compiles only if the method may return nothing. */
export type MayGiveNothing<M extends AnyMethod> =
  ReturnType<M> extends PromiseLike<infer Value>
    ? undefined extends Value
      ? unknown
      : SkippedCallsGiveUndefined<Value>
    : unknown;

/** As {@link ArgumentsDoNotFit}. */
export interface SkippedCallsGiveUndefined<Value> {
  readonly 'with onBusy: "skip" the method gives undefined, which its type does not say': Value;
}

/** Compiles only if the method's result can be replayed. */
export type CanBeStored<M extends AnyMethod> =
  IsStream<Awaited<ReturnType<M>>> extends true ? StreamsAreNotStored : unknown;

type IsStream<Value> = 0 extends 1 & Value
  ? false
  : [Value] extends [never]
    ? false
    : [Value] extends [StreamableFile]
      ? true
      : false;

/** As {@link ArgumentsDoNotFit}. */
export interface StreamsAreNotStored {
  readonly 'a stream can be read once, and not given again': StreamableFile;
}
