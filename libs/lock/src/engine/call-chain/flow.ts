import type { Shape } from '../../core/claim.js';
import { LockFlowRequiredError } from '../../core/errors.js';
import { checkFunction } from '../../core/checks.js';
import { innermostLink, withFlow, type Frame } from './frames.js';
import type { LockEngine } from '../locking/lock-engine.js';

/** What one flow holds on one resource: a stack of frames, one per `lock()`. */
interface FlowHolding {
  readonly engine: LockEngine;
  readonly frames: Frame[];
}

/**
 * An explicit root of a call chain for `lock()` and `unlock()` without arguments. It cannot tell
 * nesting from parallel branches: use `run()` in code that branches. `runInFlow(fn)` opens and ends
 * one; a framework whose work is more than one function opens its own, and calls `run()` for every
 * part.
 */
export class Flow {
  // Made when they are needed: a handler that locks nothing pays for neither.
  #holdings: Map<string, FlowHolding[]> | undefined;
  #ending: AbortController | undefined;
  #hasEnded = false;

  /** Runs a part of the flow. @throws InvalidOptionError */
  run<T>(part: () => T): T {
    return withFlow(this, checkFunction('part', part));
  }

  /** Aborts when the flow ends: no caller is left to unlock what still waits then. */
  get signal(): AbortSignal {
    this.#ending ??= new AbortController();
    if (this.#hasEnded) this.#abort();
    return this.#ending.signal;
  }

  /**
   * Ends the flow; a second call does nothing. Undefined when nothing was held, else settles when
   * what was left is released, each with a `flow.leaked` event.
   */
  end(): Promise<void> | undefined {
    this.#hasEnded = true;
    this.#abort();
    return this.isHolding ? this.#releaseAll() : undefined;
  }

  /** True while something that `lock()` took is not unlocked. */
  get isHolding(): boolean {
    if (this.#holdings === undefined) return false;
    return [...this.#holdings.values()].flat().some(({ frames }) => frames.length > 0);
  }

  /** @internal It has ended, and nothing is left to release. */
  get isOver(): boolean {
    return this.#hasEnded && !this.isHolding;
  }

  /** @internal The innermost frame that `lock()` opened on the resource. */
  frameOn(engine: LockEngine, resource: string): Frame | undefined {
    return this.#holding(engine, resource)?.frames.at(-1);
  }

  /** @internal */
  push(engine: LockEngine, frame: Frame): void {
    let holding = this.#holding(engine, frame.resource);
    if (holding === undefined) {
      holding = { engine, frames: [] };
      this.#holdings ??= new Map();
      this.#holdings.set(frame.resource, [...(this.#holdings.get(frame.resource) ?? []), holding]);
    }
    holding.frames.push(frame);
  }

  /** @internal Takes out the innermost frame of this kind. */
  pop(engine: LockEngine, resource: string, shape: Shape): Frame | undefined {
    const frames = this.#holding(engine, resource)?.frames ?? [];
    const at = frames.findLastIndex((frame) => frame.shape === shape);
    return at < 0 ? undefined : frames.splice(at, 1)[0];
  }

  #abort(): void {
    if (this.#ending?.signal.aborted === false) this.#ending.abort(new Error('the flow has ended'));
  }

  /** Closes what was left open, innermost first, and tells about it. */
  async #releaseAll(): Promise<void> {
    for (const holdings of this.#holdings!.values()) {
      for (const { engine, frames } of holdings) {
        const [outermost] = frames;
        if (outermost === undefined) continue;
        engine.events.emit('flow.leaked', { resource: outermost.resource, depth: frames.length });
        for (const frame of frames.splice(0).reverse()) await frame.close();
      }
    }
  }

  #holding(engine: LockEngine, resource: string): FlowHolding | undefined {
    return this.#holdings?.get(resource)?.find((holding) => holding.engine === engine);
  }
}

/** The innermost flow of this call chain that is of a kind. @throws InvalidOptionError */
export function innermostFlow<F extends Flow>(isOfKind: (flow: Flow) => flow is F): F | undefined {
  checkFunction('isOfKind', isOfKind);
  for (let link = innermostLink(); link !== undefined; link = link.outer) {
    const flow = link.flow as Flow | undefined;
    if (flow !== undefined && isOfKind(flow)) return flow;
  }
  return undefined;
}

/** The flow of this call chain. @throws LockFlowRequiredError outside of `runInFlow` */
export function currentFlow(resource: string): Flow {
  const flow = innermostFlow((_flow): _flow is Flow => true);
  if (flow === undefined) throw new LockFlowRequiredError(resource);
  return flow;
}

/** True while this call chain is at work under a lock: in an open `run`, or after a `lock()` of one of its flows. */
export function isUnderLock(): boolean {
  for (let link = innermostLink(); link !== undefined; link = link.outer) {
    if (link.frame?.isOpen === true || link.flow?.isHolding === true) return true;
  }
  return false;
}

/**
 * Runs `fn` as a flow: inside it `lock()`, `tryLock()` and `unlock()` work without arguments, as in
 * `java.util.concurrent`. Locks that are still held at the end are released, with a `flow.leaked` event.
 */
export async function runInFlow<T>(fn: () => T | Promise<T>): Promise<T> {
  checkFunction('fn', fn);
  const flow = new Flow();
  try {
    return await flow.run(fn);
  } finally {
    await flow.end();
  }
}
