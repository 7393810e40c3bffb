import { connect } from 'node:net';

/** An answer of a Redis server; an error reply is thrown instead. */
export type RedisReply = string | number | null | RedisReply[];

export interface RedisAddress {
  readonly host: string;
  readonly port: number;
}

const WITHIN_MS = 5_000;

/**
 * Sends one command on a connection of its own and gives its answer. Slow, and free of a client's own ideas.
 * @throws Error with the text of an error reply, or when nothing is answered in 5 s
 */
export function redisCommand(
  { host, port }: RedisAddress,
  ...args: (string | number)[]
): Promise<RedisReply> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port }, () => socket.write(encode(args)));
    let bytes = Buffer.alloc(0);
    socket.setTimeout(WITHIN_MS, () => socket.destroy(new Error(`no answer to ${args.join(' ')}`)));
    socket.once('error', reject);
    socket.once('close', () => reject(new Error(`no answer to ${args.join(' ')}`)));
    socket.on('data', (more) => {
      bytes = Buffer.concat([bytes, more]);
      try {
        const { reply } = read(bytes, 0) ?? {};
        if (reply === undefined) return;
        resolve(reply);
        socket.destroy();
      } catch (error) {
        socket.destroy(error as Error);
      }
    });
  });
}

function encode(args: readonly (string | number)[]): string {
  const words = args.map(String).map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`);
  return `*${args.length}\r\n${words.join('')}`;
}

/** The reply that begins at `at`, and where the next one would; undefined when not all of it is there. */
function read(bytes: Buffer, at: number): { reply: RedisReply; next: number } | undefined {
  const end = bytes.indexOf('\r\n', at);
  if (end < 0) return undefined;
  const text = bytes.toString('utf8', at + 1, end);
  const next = end + 2;
  const kind = String.fromCharCode(bytes[at]!);
  if (kind === '+') return { reply: text, next };
  if (kind === '-') throw new Error(text);
  if (kind === ':') return { reply: Number(text), next };
  const length = Number(text);
  if (length < 0) return { reply: null, next };
  if (kind === '*') return readItems(bytes, next, length);
  if (bytes.length < next + length + 2) return undefined;
  return { reply: bytes.toString('utf8', next, next + length), next: next + length + 2 };
}

function readItems(
  bytes: Buffer,
  at: number,
  length: number,
): { reply: RedisReply[]; next: number } | undefined {
  const reply: RedisReply[] = [];
  let next = at;
  while (reply.length < length) {
    const item = read(bytes, next);
    if (item === undefined) return undefined;
    reply.push(item.reply);
    next = item.next;
  }
  return { reply, next };
}
