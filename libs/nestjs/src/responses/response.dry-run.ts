import { ServerResponse, type OutgoingHttpHeaders } from 'node:http';

/** Methods that put bytes on the wire. */
export const WRITES = ['writeHead', 'flushHeaders', 'write', 'end'] as const;
export type WriteName = (typeof WRITES)[number];

/** Status and headers, in Node's form. */
export interface ResponseHead {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
}

type WriteMethods = Record<WriteName, (...args: unknown[]) => unknown>;

/**
 * The head of a response after this write. Applies the write to a response without a socket, so that Node judges it and
 * no byte leaves.
 * @throws Node's error for a write that it cannot send
 */
export function dryRun(
  response: ServerResponse,
  name: WriteName,
  args: readonly unknown[] = [],
): ResponseHead {
  const detached = dryRunOf(response);
  (detached as unknown as WriteMethods)[name](...args.filter((arg) => typeof arg !== 'function'));
  return { status: detached.statusCode, headers: detached.getHeaders() };
}

/** Whether a response may get this head. */
export function canBegin(response: ServerResponse, { status, headers }: ResponseHead): boolean {
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

function dryRunOf(response: ServerResponse): ServerResponse {
  const detached = new ServerResponse(response.req);
  // Without a listener, an error would end the process.
  detached.on('error', () => undefined);
  detached.statusCode = response.statusCode;
  detached.statusMessage = response.statusMessage;
  // Node keeps the headers passed with the head only if other headers exist.
  detached.setHeader('x-dry-run', '');
  detached.removeHeader('x-dry-run');
  for (const [header, value] of Object.entries(response.getHeaders()))
    if (value !== undefined) detached.setHeader(header, value);
  return detached;
}
