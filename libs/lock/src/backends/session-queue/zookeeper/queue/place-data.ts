import type { ProcessView } from '../../../../core/claim.js';

/** What a place says about its holder. */
export interface PlaceData {
  readonly depth: number;
  readonly revoked: boolean;
  readonly process?: ProcessView;
}

export function encodeData(data: PlaceData): Buffer {
  return Buffer.from(JSON.stringify(data));
}

/** Never throws: what cannot be read says nothing. */
export function decodeData(bytes: Buffer): PlaceData {
  try {
    const { depth, revoked, process } = JSON.parse(bytes.toString()) as Partial<PlaceData>;
    return {
      depth: typeof depth === 'number' ? depth : 1,
      revoked: revoked === true,
      ...(process && { process }),
    };
  } catch {
    return { depth: 1, revoked: false };
  }
}
