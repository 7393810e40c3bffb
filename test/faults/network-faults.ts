import type { TcpProxy } from 'bedrock-servers';
import { OPERATION_MS, pass } from './contest.js';

/** What a network does to those behind the proxy, for some time. */
export const NETWORK_FAULTS: Record<string, (proxy: TcpProxy) => Promise<void>> = {
  'swallows replies': (proxy) =>
    during(
      450,
      () => proxy.dropReplies(),
      () => proxy.dropReplies(false),
    ),
  'swallows requests': (proxy) =>
    during(
      450,
      () => proxy.dropRequests(),
      () => proxy.dropRequests(false),
    ),
  'delays by more than the time-out': (proxy) =>
    during(
      900,
      () => proxy.delay(OPERATION_MS * 1.5),
      () => proxy.delay(0),
    ),
  'cuts connections': (proxy) =>
    during(
      100,
      () => proxy.cut(),
      () => proxy.cut(),
    ),
};

async function during(ms: number, begin: () => void, end: () => void): Promise<void> {
  begin();
  await pass(ms);
  end();
}
