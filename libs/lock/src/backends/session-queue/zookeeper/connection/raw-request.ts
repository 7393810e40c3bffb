import type { Acl, ClientRequest } from './client-types.js';

/** What the library does not know; the replies begin like the one to create, with a path. */
const OPERATIONS = { sync: 9, createContainer: 19 } as const;
const CREATE = 1;
const CONTAINER_FLAG = 4;

/**
 * A request as the wire has it: length, id of the request, type, path, and the remaining fields.
 */
class RawRequest implements ClientRequest {
  /** How the library reads the reply; on the wire it says otherwise. */
  readonly header = { type: CREATE, xid: 0 };
  readonly payload = {
    setChrootPath: (path: string): void => {
      this.#chroot = path;
    },
  };
  #chroot = '';

  constructor(
    private readonly type: number,
    private readonly path: string,
    private readonly rest: readonly Buffer[] = [],
  ) {}

  toBuffer(): Buffer {
    const path = text(`${this.#chroot}${this.path}`);
    return bytes(Buffer.concat([int(this.header.xid), int(this.type), path, ...this.rest]));
  }
}

/** Asks for a node that the server removes some time after its last child has gone. */
export function containerRequest(path: string, data: Buffer, acls: readonly Acl[]): ClientRequest {
  const access = acls.map(({ permission, id }) =>
    Buffer.concat([int(permission), text(id.scheme), text(id.id)]),
  );
  const rest = [bytes(data), int(access.length), ...access, int(CONTAINER_FLAG)];
  return new RawRequest(OPERATIONS.createContainer, path, rest);
}

/** Lets the connected server catch up with the leader. */
export function syncRequest(path: string): ClientRequest {
  return new RawRequest(OPERATIONS.sync, path);
}

function int(value: number): Buffer {
  const buffer = Buffer.alloc(4);
  buffer.writeInt32BE(value);
  return buffer;
}

function bytes(value: Buffer): Buffer {
  return Buffer.concat([int(value.length), value]);
}

function text(value: string): Buffer {
  return bytes(Buffer.from(value));
}
