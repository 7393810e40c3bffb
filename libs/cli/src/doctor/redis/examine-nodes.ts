import type { CombinationAddress } from '../../input/backend-address.js';
import { note, type Examination } from '../findings/finding.js';
import { examineRedisServer } from './examine-redis.js';

/** The default of `nodeTimeoutMs`: docs/backends/combination.md. */
const DEFAULT_NODE_TIMEOUT_MS = 50;
/** A slow node must be seen to be slow, in ms. */
const SHORTEST_TIMEOUT_MS = 1_000;

/** Each node of a combination. @param nodeTimeoutMs undefined for its default */
export async function examineNodes(
  { nodes, maxLeaseMs }: CombinationAddress,
  prefix: string,
  nodeTimeoutMs = DEFAULT_NODE_TIMEOUT_MS,
): Promise<readonly Examination[]> {
  const context = {
    ...{ purpose: 'node' as const, prefix, guardedLeaseMs: maxLeaseMs },
    timeoutMs: Math.max(nodeTimeoutMs, SHORTEST_TIMEOUT_MS),
    limit: { option: 'nodeTimeoutMs', ms: nodeTimeoutMs },
  };
  const examined = await Promise.all(nodes.map(({ id, url }) => examineRedisServer(url, context, id)));
  const hosts = nodes.map(({ url }) => (URL.canParse(url) ? new URL(url).hostname : url));
  const shared = hosts.filter((host, at) => hosts.indexOf(host) !== at);
  if (shared.length === 0) return examined;
  // They have to fail one by one.
  const finding = note(
    'members',
    `several nodes are on ${[...new Set(shared)].join(', ')}: they fail together`,
  );
  return [{ subject: 'combination', findings: [finding] }, ...examined];
}
