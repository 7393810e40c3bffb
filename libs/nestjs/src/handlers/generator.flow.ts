import type { HandlerFlow } from './handler.flow.js';

type GeneratorStep = (value?: unknown) => Promise<IteratorResult<unknown, unknown>>;
type GeneratorSteps = Record<(typeof STEPS)[number], GeneratorStep>;

const STEPS = ['next', 'return', 'throw'] as const;

/** Callbacks of the handler that opens the flow. */
export interface GeneratorFlowOptions {
  readonly open: () => HandlerFlow;
  /** Ends the flow; returns the error to throw instead. */
  readonly fail: (flow: HandlerFlow, error: unknown) => Promise<unknown>;
}

/** True for a generator object. Its body runs when a value is requested, after its handler has ended. */
export function isAsyncGenerator(value: unknown): value is AsyncGenerator {
  return Object.prototype.toString.call(value) === '[object AsyncGenerator]';
}

/**
 * Runs the generator's body in a flow of its own, from the first `next()` to its end. Keeps the object, since Nest
 * tracks the handler's result by identity.
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
