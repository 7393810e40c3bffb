const NON_ASCII = /[\x80-\xff]/;

/**
 * The arguments of a request that was encoded as RESP, each character one byte: for a client that takes no encoded
 * requests. ASCII stays text, which the client encodes at the least cost.
 */
export function argumentsOf(text: string): (string | Buffer)[] {
  const isAscii = !NON_ASCII.test(text);
  const args: (string | Buffer)[] = [];
  let at = text.indexOf('\n') + 1;
  while (at < text.length) {
    const start = text.indexOf('\n', at) + 1;
    const end = start + Number(text.slice(at + 1, start - 2));
    const arg = text.slice(start, end);
    args.push(isAscii || !NON_ASCII.test(arg) ? arg : Buffer.from(arg, 'latin1'));
    at = end + 2;
  }
  return args;
}
