import type { EventHub } from '../events.js';
import type { NodeMonitor } from './node.js';

/** Publishes what happens to nodes as events. */
export function publishNodeEvents(nodes: NodeMonitor | undefined, events: EventHub): void {
  nodes?.onChange(({ kind, ...payload }) => {
    events.emit(kind === 'degraded' ? 'lease.degraded' : `node.${kind}`, payload);
  });
}
