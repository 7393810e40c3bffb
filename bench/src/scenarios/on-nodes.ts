import { startRedis, type RunningServer } from 'bedrock-servers';

/** Starts a number of servers for one turn, and stops them after it. */
export async function onNodes<T>(
  count: number,
  work: (urls: readonly string[], servers: readonly RunningServer[]) => Promise<T>,
): Promise<T> {
  const servers = await Promise.all(Array.from({ length: count }, () => startRedis()));
  try {
    return await work(
      servers.map(({ url }) => url),
      servers,
    );
  } finally {
    for (const server of servers) server.resume();
    await Promise.all(servers.map((server) => server.stop()));
  }
}
