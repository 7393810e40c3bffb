import type { TcpProxy } from 'bedrock-servers';
import { delay } from './contest.js';

/** Does its harm to those behind the proxy, and resolves when the network is whole again. */
export type NetworkFault = (proxy: TcpProxy, operationMs: number) => Promise<void>;

/** What a network does, by the bound on a call: each lasts for longer than a call has, but the cuts. */
export const NETWORK_FAULTS: Record<string, NetworkFault> = {
  'swallows replies': async (proxy, operationMs) => {
    proxy.dropReplies();
    await delay(1.5 * operationMs);
    proxy.dropReplies(false);
  },
  'swallows requests': async (proxy, operationMs) => {
    proxy.dropRequests();
    await delay(1.5 * operationMs);
    proxy.dropRequests(false);
  },
  'delays by more than the time-out': async (proxy, operationMs) => {
    proxy.delay(1.5 * operationMs);
    await delay(3 * operationMs);
    proxy.delay(0);
  },
  'cuts connections': async (proxy) => {
    for (let i = 0; i < 5; i += 1) {
      proxy.cut();
      await delay(20);
    }
  },
};
