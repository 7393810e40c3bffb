import { outsideOfCallers } from '../../core/context.js';
import { runWaitingLoop } from '../waiting/waiting-loop.js';
import type { WakeHub } from '../waiting/wake-hub.js';
import { ClaimStrategy, type ClaimStrategyDeps } from './claim-strategy.js';
import type { ResourceState } from './resource-state.js';

export interface ClaimLoopsDeps extends Omit<ClaimStrategyDeps, 'loops'> {
  readonly hub: WakeHub;
}

/** Runs the waiting loop of each resource for which callers wait and which this process does not hold. */
export class ClaimLoops {
  readonly #strategyDeps: ClaimStrategyDeps;

  constructor(private readonly deps: ClaimLoopsDeps) {
    this.#strategyDeps = { ...deps, loops: this };
  }

  /** Starts the loop unless it runs, and sends a request in this very tick. */
  start(state: ResourceState): void {
    if (state.isLoopRunning || state.waiterCount === 0 || state.registry.isClosed) return;
    if (state.isFull) return state.queue.rejectWhere(({ triesOnce }) => triesOnce, 'busy');
    state.isLoopRunning = true;
    const strategy = new ClaimStrategy(state, this.#strategyDeps);
    // The loop goes on after the caller that started it.
    void outsideOfCallers(() => runWaitingLoop(strategy, this.deps.hub));
  }

  /** The next waiters may be served now: the readers that join a claim of this process, or the head by a request. */
  resume(state: ResourceState): void {
    this.deps.granter.grantReaders(state);
    if (state.isLoopRunning) state.wake();
    else this.start(state);
  }
}
