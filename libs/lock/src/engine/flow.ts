import { LockFlowRequiredError } from '../core/errors.js';
import { checkFunction } from '../core/options.js';
import { innermostLink, withFlow, type Frame, type FrameSource } from './frames.js';
import type { LockEngine } from './lock-engine.js';

/** What one flow holds on one resource: a stack of frames, one per `lock()`. */
interface Holding {
  readonly engine: LockEngine;
  readonly frames: Frame[];
}

/**
 * An explicit root of a call chain for `lock()` and `unlock()` without arguments. It cannot tell nesting from parallel
 * branches: use `run()` in code that branches.
 */
export class Flow implements FrameSource {
  readonly #holdings = new Map<string, Holding[]>();
  readonly #ending = new AbortController();

  /** Aborts when the flow ends: what still waits then has nobody to unlock it. */
  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  /** The innermost frame that `lock()` opened on the resource. */
  frameOn(engine: LockEngine, resource: string): Frame | undefined {
    return this.#holding(engine, resource)?.frames.at(-1);
  }

  push(engine: LockEngine, frame: Frame): void {
    let holding = this.#holding(engine, frame.resource);
    if (holding === undefined) {
      holding = { engine, frames: [] };
      this.#holdings.set(frame.resource, [...(this.#holdings.get(frame.resource) ?? []), holding]);
    }
    holding.frames.push(frame);
  }

  pop(engine: LockEngine, resource: string): Frame | undefined {
    return this.#holding(engine, resource)?.frames.pop();
  }

  /** Closes what was left open, innermost first, and tells about it. */
  async end(): Promise<void> {
    this.#ending.abort(new Error('the flow has ended'));
    for (const holdings of this.#holdings.values()) {
      for (const { engine, frames } of holdings) {
        const [outermost] = frames;
        if (outermost === undefined) continue;
        engine.events.emit('flow.leaked', { resource: outermost.resource, depth: frames.length });
        for (const frame of frames.splice(0).reverse()) await frame.close();
      }
    }
  }

  #holding(engine: LockEngine, resource: string): Holding | undefined {
    return this.#holdings.get(resource)?.find((holding) => holding.engine === engine);
  }
}

/** The flow of this call chain. @throws LockFlowRequiredError outside of `runInFlow` */
export function currentFlow(resource: string): Flow {
  for (let link = innermostLink(); link !== undefined; link = link.outer) {
    if (link.flow instanceof Flow) return link.flow;
  }
  throw new LockFlowRequiredError(resource);
}

/**
 * Runs `fn` as a flow: inside it `lock()`, `tryLock()` and `unlock()` work without arguments, as in
 * `java.util.concurrent`. Locks that are still held at the end are released, with a `flow.leaked` event.
 */
export async function runInFlow<T>(fn: () => T | Promise<T>): Promise<T> {
  checkFunction('fn', fn);
  const flow = new Flow();
  try {
    return await withFlow(flow, fn);
  } finally {
    await flow.end();
  }
}
