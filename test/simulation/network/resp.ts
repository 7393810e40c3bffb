import { Refusal, Status, type Reply } from '../node/reply.js';

/** A request in RESP as the words that it consists of, each character one byte. */
export function wordsOf(request: string): string[] {
  const text = Buffer.from(request).toString('latin1');
  const words: string[] = [];
  let at = text.indexOf('\r\n') + 2;
  while (at < text.length) {
    const start = text.indexOf('\r\n', at) + 2;
    const end = start + Number(text.slice(at + 1, start - 2));
    words.push(text.slice(start, end));
    at = end + 2;
  }
  return words;
}

/** A reply as the decoder of a client gives it: texts are buffers. An error is given back, not thrown. */
export function decoded(reply: Reply): unknown {
  if (typeof reply === 'string') return Buffer.from(reply, 'latin1');
  if (reply instanceof Refusal) return new Error(reply.text);
  if (reply instanceof Status) return Buffer.from(reply.text);
  return Array.isArray(reply) ? reply.map(decoded) : reply;
}

/** A reply with its texts as strings. */
export function asText(reply: Reply): unknown {
  if (typeof reply === 'string') return Buffer.from(reply, 'latin1').toString();
  if (reply instanceof Refusal) return new Error(reply.text);
  if (reply instanceof Status) return reply.text;
  return Array.isArray(reply) ? reply.map(asText) : reply;
}
