import { connect } from 'node:net';

export type ZooKeeperMode = 'standalone' | 'leader' | 'follower';

/** What a four-letter word answers. */
export function zookeeperSays(
  port: number,
  word: string,
  host = '127.0.0.1',
  withinMs = 1_000,
): Promise<string> {
  return new Promise((resolve, reject) => {
    let reply = '';
    const socket = connect({ host, port }, () => socket.write(word));
    socket.setTimeout(withinMs, () => socket.destroy(new Error(`no answer to ${word}`)));
    socket.once('error', reject);
    socket.once('close', () => resolve(reply));
    socket.setEncoding('utf8').on('data', (text: string) => (reply += text));
  });
}

/** The part that a server plays now; undefined while it does not serve. */
export async function zookeeperMode(port: number, host?: string): Promise<ZooKeeperMode | undefined> {
  const match = /^Mode: (\w+)$/m.exec(await zookeeperSays(port, 'srvr', host));
  return match?.[1] as ZooKeeperMode | undefined;
}
