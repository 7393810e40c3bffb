/** Gets the bytes of one connection as they come, and answers how many requests have begun to be whole with them. */
export type RequestParser = (bytes: Buffer) => number;

interface Message {
  readonly length: number;
  readonly isRequest: boolean;
}

/** @param next the message at the start of the bytes; undefined while it is not whole */
function framed(next: (bytes: Buffer) => Message | undefined): RequestParser {
  let left: Buffer = Buffer.alloc(0);
  return (bytes) => {
    left = left.length === 0 ? bytes : Buffer.concat([left, bytes]);
    let requests = 0;
    for (let message = next(left); message !== undefined; message = next(left)) {
      if (message.isRequest) requests += 1;
      left = left.subarray(message.length);
    }
    return requests;
  };
}

/** Of a length that a field says, once that field and the whole message are there. */
function whole(bytes: Buffer, headerLength: number, lengthOf: () => number): number | undefined {
  if (bytes.length < headerLength) return undefined;
  const length = lengthOf();
  return bytes.length < length ? undefined : length;
}

/** Redis: each command, be it in a pipeline or alone. A call of a script is one, whatever it does. */
export function redisRequests(): RequestParser {
  const lineAt = (bytes: Buffer, at: number): { value: number; end: number } | undefined => {
    const end = bytes.indexOf('\r\n', at);
    return end < 0 ? undefined : { value: Number(bytes.toString('latin1', at + 1, end)), end: end + 2 };
  };
  return framed((bytes) => {
    const items = lineAt(bytes, 0);
    if (items === undefined) return undefined;
    let at = items.end;
    for (let i = 0; i < items.value; i += 1) {
      const item = lineAt(bytes, at);
      if (item === undefined) return undefined;
      at = item.end + item.value + 2;
    }
    return bytes.length < at ? undefined : { length: at, isRequest: true };
  });
}

/** PostgreSQL: each Query, and each Sync that ends an extended one. */
export function postgresRequests(): RequestParser {
  let isStarted = false;
  return framed((bytes) => {
    const typed = isStarted ? 1 : 0;
    const length = whole(bytes, typed + 4, () => typed + bytes.readInt32BE(typed));
    if (length === undefined) return undefined;
    const type = isStarted ? String.fromCharCode(bytes[0]!) : '';
    isStarted = true;
    return { length, isRequest: type === 'Q' || type === 'S' };
  });
}

/** What a client of MySQL tells without an answer, and its goodbye. */
const MYSQL_UNANSWERED: ReadonlySet<number> = new Set([0x01, 0x18, 0x19]);

/** MySQL: each command that is answered. */
export function mysqlRequests(): RequestParser {
  return framed((bytes) => {
    const length = whole(bytes, 4, () => 4 + bytes.readUIntLE(0, 3));
    if (length === undefined) return undefined;
    return { length, isRequest: bytes[3] === 0 && !MYSQL_UNANSWERED.has(bytes[4]!) };
  });
}

const ZOOKEEPER_PING = -2;

/** ZooKeeper: each request but the pings of the session and the first, which opens it. */
export function zookeeperRequests(): RequestParser {
  let isOpen = false;
  return framed((bytes) => {
    const length = whole(bytes, 4, () => 4 + bytes.readInt32BE(0));
    if (length === undefined) return undefined;
    const isRequest = isOpen && bytes.readInt32BE(4) !== ZOOKEEPER_PING;
    isOpen = true;
    return { length, isRequest };
  });
}

const HTTP2_PREFACE = 24;
const HTTP2_HEADER = 9;
const HTTP2_DATA = 0;
const GRPC_HEADER = 5;

/** etcd: each message of gRPC, be it a call or one more on an open stream. */
export function etcdRequests(): RequestParser {
  const streams = new Map<number, RequestParser>();
  let messages = 0;
  let isStarted = false;
  const frames = framed((bytes) => {
    if (!isStarted) {
      if (bytes.length < HTTP2_PREFACE) return undefined;
      isStarted = true;
      return { length: HTTP2_PREFACE, isRequest: false };
    }
    const length = whole(bytes, HTTP2_HEADER, () => HTTP2_HEADER + bytes.readUIntBE(0, 3));
    if (length === undefined) return undefined;
    if (bytes[3] === HTTP2_DATA) {
      const id = bytes.readUInt32BE(5);
      const stream = streams.get(id) ?? grpcMessages();
      streams.set(id, stream);
      messages += stream(bytes.subarray(HTTP2_HEADER, length));
    }
    return { length, isRequest: false };
  });
  return (bytes) => {
    messages = 0;
    frames(bytes);
    return messages;
  };
}

function grpcMessages(): RequestParser {
  return framed((bytes) => {
    const length = whole(bytes, GRPC_HEADER, () => GRPC_HEADER + bytes.readUInt32BE(1));
    return length === undefined ? undefined : { length, isRequest: true };
  });
}
