import { Buffer } from 'node:buffer';

/** A key and everything below it. */
export interface KeyRange {
  readonly key: Buffer;
  readonly range_end: Buffer;
}

/**
 * Where things are: below the prefix, `line/<resource>/<claim>/<moves>` for places, `session/<lease>` and `note/<lease>`
 * for what belongs to a process. Names are percent-encoded, so that none of them can leave its folder.
 */
export class Keys {
  constructor(private readonly prefix: string) {}

  place(resource: string, claimId: string, moves: number): Buffer {
    return Buffer.from(`${this.#line(resource)}${encodeURIComponent(claimId)}/${moves}`);
  }

  line(resource: string): KeyRange {
    return below(this.#line(resource));
  }

  /** How often the place has been moved, from its key. */
  movesOf(key: Buffer): number {
    const text = key.toString();
    return Number(text.slice(text.lastIndexOf('/') + 1));
  }

  /** Holds the number that requests of the session are sent under. */
  session(leaseId: string): Buffer {
    return Buffer.from(`${this.prefix}session/${leaseId}`);
  }

  /** Tells a process which of its places somebody else has changed. */
  note(leaseId: string): Buffer {
    return Buffer.from(`${this.prefix}note/${leaseId}`);
  }

  #line(resource: string): string {
    return `${this.prefix}line/${encodeURIComponent(resource)}/`;
  }
}

/** The slash is the last character of the folder: the one after it ends the range. */
function below(folder: string): KeyRange {
  const range_end = Buffer.from(folder);
  range_end[range_end.length - 1]! += 1;
  return { key: Buffer.from(folder), range_end };
}
