import type { EventHub } from '../events.js';
import type { NodeHouse } from './node.js';

/** Tells what happens to nodes as events. */
export function tellOfNodes(nodes: NodeHouse | undefined, events: EventHub): void {
  nodes?.onChange(({ kind, ...payload }) => {
    events.emit(kind === 'thinned' ? 'lease.thinned' : `node.${kind}`, payload);
  });
}
