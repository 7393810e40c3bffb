/** A reply with its texts as byte strings. */
export function latin(reply: unknown): unknown {
  if (Buffer.isBuffer(reply)) return reply.toString('latin1');
  return Array.isArray(reply) ? reply.map(latin) : reply;
}
