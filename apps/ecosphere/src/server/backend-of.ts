import type { Backend } from 'bedrock-lock';
import { combination } from 'bedrock-lock/combination';
import { memory } from 'bedrock-lock/memory';
import { redis } from 'bedrock-lock/redis';
import type { AppSettings } from '../app.settings.js';
import { ENGINES } from './engines.js';

/** The backend of one process of the run. */
export async function backendOf({ servers, label }: AppSettings): Promise<Backend> {
  const labelled = label === undefined ? {} : { label };
  if (servers.kind === 'memory') return memory({ store: servers.memory.locks, ...labelled });
  const { operationTimeoutMs } = servers;
  const options = { ...labelled, ...(operationTimeoutMs !== undefined && { operationTimeoutMs }) };
  if (servers.kind === 'engine') return ENGINES[servers.engine].backend(servers.locksUrl, options);
  if (servers.kind === 'redis') return redis({ url: servers.url, ...options });
  const { locations, ...rules } = servers.rules;
  // Lock time compares fencing tokens. The nodes count as empty: no other client locks there.
  return combination({
    ...rules,
    ...(operationTimeoutMs !== undefined && { nodeTimeoutMs: operationTimeoutMs }),
    nodes: locations.map((location) => redis({ ...location, ...labelled })),
    fencing: true,
    coldStart: 'trust',
    probe: { lastMs: 200 },
  });
}
