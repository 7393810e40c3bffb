import { OpenHold, type Replacement } from './open-hold.js';
import type { HeldBody } from './hold-locks.js';

type IterableSource = () => AsyncIterable<unknown>;
type SourceIterator = AsyncIterator<unknown, unknown, unknown>;

/**
 * Iterates while the locks are held: from the first `next()` until the source ends, throws, or the consumer stops. A
 * lost lease is thrown into the source at the next `next()`.
 */
export async function* lockedIterator(
  hold: (body: HeldBody) => Promise<unknown>,
  source: IterableSource,
): AsyncGenerator<unknown, unknown, unknown> {
  const opened = await OpenHold.open(hold);
  if (!(opened instanceof OpenHold)) return yield* deliver(opened);
  let result: unknown;
  let replaced: Replacement | undefined;
  try {
    result = yield* { [Symbol.asyncIterator]: () => relay(opened, source) };
  } catch (error) {
    await opened.fail(error);
  } finally {
    // After fail() this repeats the same outcome; otherwise it shows whether the lock was held to the end.
    replaced = await opened.end();
  }
  return replaced === undefined ? result : yield* deliver(replaced);
}

/** The source, with every step in the hold's call chain. */
function relay(hold: OpenHold, source: IterableSource): SourceIterator {
  const { inContext } = hold;
  const inner = inContext(() => source()[Symbol.asyncIterator]()) as SourceIterator;
  const raise = async (error: unknown): Promise<IteratorResult<unknown, unknown>> => {
    if (inner.throw !== undefined) return inContext(() => inner.throw!(error));
    await inContext(() => inner.return?.());
    throw error;
  };
  return {
    next(value) {
      try {
        hold.assertHeld();
      } catch (error) {
        return raise(error);
      }
      return inContext(() => inner.next(value));
    },
    async return(value) {
      const step = await inContext(() => inner.return?.(value));
      return step ?? { done: true, value: await value };
    },
    throw: raise,
  };
}

async function* deliver({ replacement }: Replacement): AsyncGenerator<unknown, unknown, unknown> {
  if (!isIterable(replacement)) return replacement;
  return (yield* replacement as AsyncIterable<unknown>) as unknown;
}

function isIterable(value: unknown): boolean {
  return (
    typeof value === 'object' && value !== null && (Symbol.asyncIterator in value || Symbol.iterator in value)
  );
}
