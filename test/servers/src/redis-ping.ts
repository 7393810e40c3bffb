import { connect } from 'node:net';

/** Whether a Redis server answers PING; a protected one answers too. False while it loads its data. */
export function redisAnswers(host: string, port: number, withinMs = 1_000): Promise<boolean> {
  return new Promise((resolve, reject) => {
    let reply = '';
    const socket = connect({ host, port }, () => socket.write('PING\r\n'));
    const settle = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(withinMs, () => settle(false));
    socket.once('error', reject);
    socket.once('close', () => resolve(false));
    socket.setEncoding('utf8').on('data', (text: string) => {
      reply += text;
      if (reply.includes('\r\n')) settle(reply.startsWith('+PONG') || reply.startsWith('-NOAUTH'));
    });
  });
}
