import { ServerResponse, type OutgoingHttpHeaders } from 'node:http';

/** What puts bytes on the wire. */
export const WRITES = ['writeHead', 'flushHeaders', 'write', 'end'] as const;
export type WriteName = (typeof WRITES)[number];

/** Status and headers, as Node has them. */
export interface Head {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
}

type Writes = Record<WriteName, (...args: unknown[]) => unknown>;

/**
 * The head that a response has once Node has done this write. The write goes to a response without a socket, so that Node
 * itself judges it and no byte leaves.
 * @throws what Node throws for what it cannot send
 */
export function rehearse(response: ServerResponse, name: WriteName, args: readonly unknown[] = []): Head {
  const rehearsal = rehearsalOf(response);
  (rehearsal as unknown as Writes)[name](...args.filter((arg) => typeof arg !== 'function'));
  return { status: rehearsal.statusCode, headers: rehearsal.getHeaders() };
}

/** Whether a response may get this head. */
export function canBegin(response: ServerResponse, { status, headers }: Head): boolean {
  try {
    new ServerResponse(response.req).writeHead(status, headers);
    return true;
  } catch {
    return false;
  }
}

/** Text or bytes. */
export function isChunk(value: unknown): value is string | Uint8Array {
  return typeof value === 'string' || value instanceof Uint8Array;
}

function rehearsalOf(response: ServerResponse): ServerResponse {
  const rehearsal = new ServerResponse(response.req);
  // Without a listener an error would end the process.
  rehearsal.on('error', () => undefined);
  rehearsal.statusCode = response.statusCode;
  rehearsal.statusMessage = response.statusMessage;
  // Only beside other headers Node keeps those that it is given with the head.
  rehearsal.setHeader('x-rehearsal', '');
  rehearsal.removeHeader('x-rehearsal');
  for (const [header, value] of Object.entries(response.getHeaders()))
    if (value !== undefined) rehearsal.setHeader(header, value);
  return rehearsal;
}
