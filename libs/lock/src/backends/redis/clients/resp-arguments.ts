const NON_ASCII = /[\u0080-\uffff]/;

/**
 * The arguments of a RESP request, for a client that takes no encoded requests. ASCII stays text,
 * which the client encodes most cheaply.
 */
export function argumentsOf(text: string): (string | Buffer)[] {
  const isAscii = !NON_ASCII.test(text);
  // Lengths count bytes, so each character must stand for one byte.
  const bytes = isAscii ? text : Buffer.from(text).toString('latin1');
  const args: (string | Buffer)[] = [];
  let at = bytes.indexOf('\n') + 1;
  while (at < bytes.length) {
    const start = bytes.indexOf('\n', at) + 1;
    const end = start + Number(bytes.slice(at + 1, start - 2));
    const arg = bytes.slice(start, end);
    args.push(isAscii || !NON_ASCII.test(arg) ? arg : Buffer.from(arg, 'latin1'));
    at = end + 2;
  }
  return args;
}
