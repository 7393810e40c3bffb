import { Buffer } from 'node:buffer';

/** A key and everything below it. */
export interface KeyRange {
  readonly key: Buffer;
  readonly range_end: Buffer;
}

/**
 * The layout of keys below the prefix. Entries are `line/<resource>/<claim>/<n>`; `session/<lease>`
 * and `note/<lease>` belong to a process. Names are percent-encoded, so that none of them can leave
 * its folder.
 */
export class EtcdKeys {
  /** Entries of this process so far; ids of claims are those of one process. */
  #entries = 0;

  constructor(private readonly prefix: string) {}

  /**
   * A key that no entry ever had. So a late request to remove another entry can never hit this one.
   */
  newEntry(resource: string, claimId: string): Buffer {
    this.#entries += 1;
    return Buffer.from(`${this.#queue(resource)}${encodeURIComponent(claimId)}/${this.#entries}`);
  }

  queue(resource: string): KeyRange {
    return below(this.#queue(resource));
  }

  /** All entries of queues whose name has the prefix, from behind the queue of `after` on. */
  queues(prefix: string, after?: string): KeyRange {
    const { key, range_end } = below(`${this.prefix}line/${encodeURIComponent(prefix)}`);
    return { key: after === undefined ? key : this.queue(after).range_end, range_end };
  }

  /** The name of the queue that has this entry. */
  resourceOf(entry: Buffer): string {
    const [name] = entry.toString().slice(`${this.prefix}line/`.length).split('/');
    return decodeURIComponent(name!);
  }

  /** Holds the number that requests of the session are sent under. */
  session(leaseId: string): Buffer {
    return Buffer.from(`${this.prefix}session/${leaseId}`);
  }

  /** Tells a process which of its entries another process has changed. */
  note(leaseId: string): Buffer {
    return Buffer.from(`${this.prefix}note/${leaseId}`);
  }

  #queue(resource: string): string {
    return `${this.prefix}line/${encodeURIComponent(resource)}/`;
  }
}

/** All keys that begin so: the character after its last one ends the range. */
function below(folder: string): KeyRange {
  const range_end = Buffer.from(folder);
  range_end[range_end.length - 1]! += 1;
  return { key: Buffer.from(folder), range_end };
}
