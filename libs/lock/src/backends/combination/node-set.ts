import { InvalidOptionError } from '../../core/errors.js';
import type { NodeChange, NodeMonitor, NodeView } from '../../core/ports/node.js';
import type { CombinationSettings } from './combination-options.js';
import { NodeHandle, type NodeOwner } from './node-handle.js';

/** The nodes of a combination, ordered by id: the same order in every process. */
export class NodeSet implements NodeMonitor, NodeOwner {
  readonly handles: readonly NodeHandle[];
  isClosed = false;
  readonly #listeners = new Set<(change: NodeChange) => void>();

  constructor(
    readonly settings: CombinationSettings,
    readonly processId: string,
  ) {
    const handles = settings.nodes.map((backend) => new NodeHandle(backend, this));
    handles.forEach(({ id }, i) => {
      if (id === '')
        throw new InvalidOptionError(
          `nodes[${i}].nodeId`,
          'given, since the options do not name the server',
          '',
        );
      if (handles.findIndex((other) => other.id === id) < i)
        throw new InvalidOptionError(`nodes[${i}]`, 'different from the nodes before it', id);
    });
    this.handles = handles.sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  /**
   * The nodes worth asking, from left to right. If those are too few, all nodes: one may be back.
   */
  get candidates(): readonly NodeHandle[] {
    const available = this.handles.filter(({ isAvailable }) => isAvailable);
    if (available.length >= this.settings.minNodes) return available;
    // Two grants of one server count as one: skip duplicates here too.
    return this.handles.filter((handle) => this.sameServerAs(handle) === undefined);
  }

  sameServerAs(handle: NodeHandle): NodeHandle | undefined {
    return this.handles.find((other) => other.isSameServerAs(handle) && other.id < handle.id);
  }

  views(): readonly NodeView[] {
    return this.handles.map(({ view }) => view);
  }

  onChange(listener: (change: NodeChange) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  publish(change: NodeChange): void {
    for (const listener of this.#listeners) listener(change);
  }
}
