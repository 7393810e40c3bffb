/** The part of a client that every command passes on its way to the socket. */
interface Sending {
  sendCommand: (...args: never[]) => unknown;
}

let sent = 0;
const sources: (() => number)[] = [];

/** Makes every client of this class count what it sends. All libraries send through ioredis, so all are counted alike. */
export function countCommandsOf(prototype: Sending): void {
  const send = prototype.sendCommand as (...args: unknown[]) => unknown;
  prototype.sendCommand = function counting(this: unknown, ...args: unknown[]): unknown {
    sent += 1;
    return send.apply(this, args);
  };
}

/** Counts a request to an engine whose clients have no such part. */
export function commandSent(): void {
  sent += 1;
}

/** Adds what somebody counts himself, such as a backend of Bedrock. */
export function countAlso(source: () => number): void {
  sources.push(source);
}

/** Commands that this process has sent so far. A script call is one, whatever it does on the server. */
export function commandsSent(): number {
  return sources.reduce((total, source) => total + source(), sent);
}
