import { randomUUID } from 'node:crypto';
import { MUTEX } from 'bedrock-lock/backend';
import { memory, MemoryStore } from 'bedrock-lock/memory';
import { runContendersAsPeers, FlowingClock, type ContractHarness } from 'bedrock-testkit';
import { costsOf } from '../round-trips/costs-of.js';

/** Peers on one store stand for processes; in real time, or in time that passes while they wait. */
export function memoryHarness(time: 'real' | 'flowing'): ContractHarness {
  const clock = time === 'flowing' ? new FlowingClock() : undefined;
  const store = new MemoryStore(clock);
  const options = { store, ...(clock && { clock }) };
  const probe = memory(options);
  let stop: (() => Promise<void>) | undefined;
  let probes = 0;
  return {
    name: 'memory',
    kinds: ['mutex', 'fairMutex'],
    unsupported: ['sleep'],
    ...(clock && { clock }),
    roundTrips: {
      costs: costsOf('memory'),
      backend: async () => memory(options),
      requests: () => 0,
    },
    open: async () => void (stop = clock?.flow()),
    backend: async (peer) => memory({ ...options, ...peer }),
    runContenders: (jobs) => runContendersAsPeers((label) => memory({ ...options, label }), jobs, clock),
    freshResource: () => `contract:${randomUUID()}`,
    // Granted at once only if the resource has no holder and no waiter.
    isEmpty: async (resource) => {
      const claim = { id: `${probe.processId}:${++probes}`, resource, shape: MUTEX };
      const { kind } = await probe.leases.claim({
        ...claim,
        ...{ queue: false, mayPush: false },
        ...{ leaseMs: 10, holdAtLeastMs: 0, tokens: 0, notAfter: Infinity },
      });
      if (kind === 'granted') await probe.leases.withdraw(claim, { keepMs: 0, leaveQueue: true });
      return kind === 'granted';
    },
    close: async () => {
      await probe.close();
      await stop?.();
    },
  };
}
