import { once } from 'node:events';
import { connect } from 'node:net';

/** The answer of a ZooKeeper server to a four-letter word. @throws Error without an answer in time */
export async function fourLetterWord(
  host: string,
  port: number,
  word: string,
  timeoutMs: number,
): Promise<string> {
  const socket = connect({ host, port, signal: AbortSignal.timeout(timeoutMs) });
  try {
    let answer = '';
    socket.on('data', (chunk) => (answer += String(chunk)));
    await once(socket, 'connect');
    socket.write(word);
    await once(socket, 'close');
    return answer;
  } catch (error) {
    throw (error as Error).name === 'AbortError' ? new Error(`no answer within ${timeoutMs} ms`) : error;
  } finally {
    socket.destroy();
  }
}
