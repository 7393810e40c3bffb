/** The method of a client that every command passes on its way to the socket. */
interface Sending {
  sendCommand: (...args: never[]) => unknown;
}

let sent = 0;
const sources: (() => number)[] = [];

/** Counts the commands of every client of this class. All libraries send through ioredis, so one method counts all. */
export function countCommandsOf(prototype: Sending): void {
  const send = prototype.sendCommand as (...args: unknown[]) => unknown;
  prototype.sendCommand = function counting(this: unknown, ...args: unknown[]): unknown {
    sent += 1;
    return send.apply(this, args);
  };
}

/** Counts a request to an engine whose clients have no such method. */
export function commandSent(): void {
  sent += 1;
}

/** Adds the count of another source, such as a backend of Bedrock. */
export function countAlso(source: () => number): void {
  sources.push(source);
}

/** Commands that this process has sent so far. A script call counts as one, whatever the script does. */
export function commandsSent(): number {
  return sources.reduce((total, source) => total + source(), sent);
}
