import type { NodeMonitor } from '../../core/ports/node.js';
import { SmallMap } from '../../runtime/collections/small-map.js';
import type { LockSettings } from '../../core/options/options.js';
import type { Hold } from '../holding/hold.js';
import { ResourceState, type FairGroup, type ResourceStateOwner } from './resource-state.js';
import type { WaiterRegistry } from '../waiting/waiter-registry.js';

/**
 * The state of every resource of an engine: one per resource, or one per caller where they are
 * served in order of arrival across processes.
 */
export class ResourceStates implements ResourceStateOwner {
  readonly #states = new SmallMap<string, ResourceState>();
  readonly #groups = new Map<string, FairGroup>();
  #onEmpty: (() => void) | undefined;

  constructor(
    readonly registry: WaiterRegistry,
    /** Asks for the head of a resource, where that may succeed now. */
    readonly resume: (state: ResourceState) => void,
  ) {}

  /** Resources that are held or waited for here. */
  get size(): number {
    return this.#states.size + this.#groups.size;
  }

  /** True when a caller of this process holds the resource or waits for it. */
  has(resource: string): boolean {
    return this.#states.has(resource) || this.#groups.has(resource);
  }

  /** True when a caller of this process holds the resource. */
  isHeld(resource: string): boolean {
    return this.#states.get(resource)?.isHolding === true || isHeldInGroup(this.#groups.get(resource));
  }

  /** The state that all callers of a resource share. */
  shared(resource: string): ResourceState {
    let state = this.#states.get(resource);
    if (state === undefined) {
      state = new ResourceState(resource, this);
      this.#states.set(resource, state);
    }
    return state;
  }

  /** A state for one caller of a fair lock. */
  forCaller(resource: string): ResourceState {
    let group = this.#groups.get(resource);
    if (group === undefined) {
      group = { states: new Set(), waiterCount: 0 };
      this.#groups.set(resource, group);
    }
    const state = new ResourceState(resource, this, group);
    group.states.add(state);
    return state;
  }

  /** Wakes all waiters when a node comes or goes: another may be in the way then, or enough of them serve again. */
  wakeOnNodeChanges(nodes: NodeMonitor | undefined): () => void {
    const stop = nodes?.onChange(({ kind }) => {
      if (kind !== 'degraded') this.#wakeAll();
    });
    return () => stop?.();
  }

  *holds(): Generator<Hold> {
    for (const state of this.#states.values()) yield* state.holds;
    for (const { states } of this.#groups.values()) for (const state of states) yield* state.holds;
  }

  /** Resolves when there is none: nothing is held, waited for or asked. */
  async whenEmpty(): Promise<void> {
    if (this.size > 0) await new Promise<void>((done) => (this.#onEmpty = done));
  }

  /** Forgets an idle state. */
  drop(state: ResourceState): void {
    const { resource, group } = state;
    if (group === undefined) {
      if (this.#states.get(resource) === state) this.#states.delete(resource);
    } else if (group.states.delete(state) && group.states.size === 0) this.#groups.delete(resource);
    if (this.size === 0) this.#onEmpty?.();
  }

  #wakeAll(): void {
    for (const state of this.#states.values()) if (state.isLoopRunning) state.wake();
    for (const { states } of this.#groups.values())
      for (const state of states) if (state.isLoopRunning) state.wake();
  }
}

function isHeldInGroup(group: FairGroup | undefined): boolean {
  if (group !== undefined) for (const { isHolding } of group.states) if (isHolding) return true;
  return false;
}

/** Held, or asked for by earlier callers: a caller that does not wait cannot get it. */
export function isBusy(state: ResourceState, settings: LockSettings): boolean {
  const { group } = state;
  if (group !== undefined) return group.waiterCount > 0 || isHeldInGroup(group);
  // Where several fit beside each other, those ahead may be served with this one, unless they wait already.
  const areWaiting = state.waiterCount > 0 && (settings.shape.mode === 'exclusive' || state.wasRefused);
  return areWaiting || state.isFullFor(settings);
}
