import type { ProcessView } from '../../../../core/claim.js';

/** What an entry says about its holder. */
export interface EntryData {
  readonly depth: number;
  readonly revoked: boolean;
  readonly process?: ProcessView;
}

export function encodeEntryData(data: EntryData): Buffer {
  return Buffer.from(JSON.stringify(data));
}

/** Never throws: data that cannot be read count as empty. */
export function decodeEntryData(bytes: Buffer): EntryData {
  try {
    const { depth, revoked, process } = JSON.parse(bytes.toString()) as Partial<EntryData>;
    return {
      depth: typeof depth === 'number' ? depth : 1,
      revoked: revoked === true,
      ...(process && { process }),
    };
  } catch {
    return { depth: 1, revoked: false };
  }
}
