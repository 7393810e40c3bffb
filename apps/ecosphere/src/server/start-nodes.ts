import { startRedis, type RunningServer } from 'bedrock-servers';
import { reasonOf } from '../report/reason-of.js';
import { ServerError } from './server.error.js';

/** A node of this run, which may be killed. */
export interface StartedNode {
  readonly nodeId: string;
  readonly server: RunningServer;
}

/** Starts redis-servers without persistence, in order from left to right. @throws ServerError */
export async function startNodes(count: number): Promise<readonly StartedNode[]> {
  const starts = await Promise.allSettled(Array.from({ length: count }, () => startRedis()));
  const servers = starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []));
  const failed = starts.find((start) => start.status === 'rejected');
  if (failed !== undefined) {
    await Promise.all(servers.map((server) => server.stop()));
    throw new ServerError(reasonOf(failed.reason), { cause: failed.reason });
  }
  return servers.map((server, i) => ({ nodeId: `node ${i + 1}`, server }));
}
