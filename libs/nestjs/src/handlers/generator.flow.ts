import type { HandlerFlow } from './handler.flow.js';

type GeneratorStep = (value?: unknown) => Promise<IteratorResult<unknown, unknown>>;
type GeneratorSteps = Record<(typeof STEPS)[number], GeneratorStep>;

const STEPS = ['next', 'return', 'throw'] as const;

/** What the flow of a generator needs of who opens it. */
export interface GeneratorFlowOptions {
  readonly open: () => HandlerFlow;
  /** Ends the flow; gives what is thrown in place of the error. */
  readonly fail: (flow: HandlerFlow, error: unknown) => Promise<unknown>;
}

/** A generator object, whose body runs when it is asked for values: after the handler that gave it has ended. */
export function isAsyncGenerator(value: unknown): value is AsyncGenerator {
  return Object.prototype.toString.call(value) === '[object AsyncGenerator]';
}

/**
 * Has the body of a generator run in a flow of its own, from the first `next()` until it has ended. The object stays the
 * same, since Nest keeps track of what a handler gave.
 */
export function runInOwnFlow(generator: AsyncGenerator, { open, fail }: GeneratorFlowOptions): void {
  const steps = generator as unknown as GeneratorSteps;
  let flow: HandlerFlow | undefined;
  for (const name of STEPS) {
    const original = steps[name];
    const inFlow: GeneratorStep = async (value) => {
      flow ??= open();
      try {
        const step = await flow.run(() => original.call(generator, value));
        if (step.done === true) await flow.end();
        return step;
      } catch (error) {
        throw await fail(flow, error);
      }
    };
    Object.defineProperty(generator, name, { value: inFlow, configurable: true, writable: true });
  }
}
