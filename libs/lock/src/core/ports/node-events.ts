import type { EventFacts, EventHub } from '../events.js';
import type { NodeMonitor } from './node.js';

/** Publishes what happens to nodes as events. */
export function publishNodeEvents(nodes: NodeMonitor | undefined, events: EventHub): void {
  nodes?.onChange((change) => {
    const { kind, ...payload } = change;
    if (kind === 'degraded') events.emit('lease.degraded', payload as EventFacts<'lease.degraded'>);
    else events.emit(`node.${kind}`, payload as EventFacts<`node.${typeof kind}`>);
  });
}
