import type { Acl, ClientRequest } from './client-types.js';

/** createContainer, which the library does not know; its reply begins like the one to create. */
const CREATE_CONTAINER = 19;
const CREATE = 1;
const CONTAINER_FLAG = 4;

/**
 * Asks for a node that the server removes some time after its last child has gone, as the wire has it: length, id of the
 * request, type; path, data, access list, flags.
 */
export class ContainerRequest implements ClientRequest {
  /** How the library reads the reply; on the wire it says otherwise. */
  readonly header = { type: CREATE, xid: 0 };
  readonly payload = {
    setChrootPath: (path: string): void => {
      this.#chroot = path;
    },
  };
  #chroot = '';

  constructor(
    private readonly path: string,
    private readonly data: Buffer,
    private readonly acls: readonly Acl[],
  ) {}

  toBuffer(): Buffer {
    const access = this.acls.map(({ permission, id }) =>
      Buffer.concat([int(permission), text(id.scheme), text(id.id)]),
    );
    const body = Buffer.concat([
      ...[int(this.header.xid), int(CREATE_CONTAINER)],
      ...[text(`${this.#chroot}${this.path}`), bytes(this.data)],
      ...[int(access.length), ...access, int(CONTAINER_FLAG)],
    ]);
    return bytes(body);
  }
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
