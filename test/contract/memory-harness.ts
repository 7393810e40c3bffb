import { randomUUID } from 'node:crypto';
import { MUTEX } from 'bedrock-lock';
import { memory, MemoryStore } from 'bedrock-lock/memory';
import { crowdOfPeers, type ContractHarness } from 'bedrock-testkit';

/** Peers on one store stand for processes. */
export function memoryHarness(): ContractHarness {
  const store = new MemoryStore();
  const probe = memory({ store });
  let probes = 0;
  return {
    name: 'memory',
    kinds: ['mutex', 'fairMutex'],
    backend: async (options) => memory({ store, ...options }),
    crowd: (jobs) => crowdOfPeers((label) => memory({ store, label }), jobs),
    freshResource: () => `contract:${randomUUID()}`,
    // Granted at once only if nobody holds the resource and nobody stands in line for it.
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
    close: () => probe.close(),
  };
}
