/** The part of a client that every command passes on its way to the socket. */
interface Sending {
  sendCommand: (...args: never[]) => unknown;
}

let sent = 0;

/** Makes every client of this class count what it sends. All libraries send through ioredis, so all are counted alike. */
export function countCommandsOf(prototype: Sending): void {
  const send = prototype.sendCommand as (...args: unknown[]) => unknown;
  prototype.sendCommand = function counting(this: unknown, ...args: unknown[]): unknown {
    sent += 1;
    return send.apply(this, args);
  };
}

/** Commands that this process has sent so far. A script call is one, whatever it does on the server. */
export function commandsSent(): number {
  return sent;
}
