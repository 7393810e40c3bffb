/** Number of slots of every cluster. */
export const SLOTS = 16_384;

/** CRC16 as Redis computes it: polynomial 0x1021, from 0, nothing reflected (XMODEM). */
const CRC16 = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 8;
  for (let bit = 0; bit < 8; bit += 1) crc = ((crc << 1) ^ ((crc & 0x8000) === 0 ? 0 : 0x1021)) & 0xffff;
  return crc;
});

/** The slot of a key, or of its hash tag if it has one. */
export function slotOf(key: string): number {
  const tag = hashTag(key);
  let crc = 0;
  for (let i = 0; i < tag.length; i += 1) {
    const code = tag.charCodeAt(i);
    if (code > 0x7f) return slotOfBytes(Buffer.from(tag));
    crc = ((crc << 8) & 0xffff) ^ CRC16[(crc >> 8) ^ code]!;
  }
  return crc % SLOTS;
}

/** The text between the first `{` and the next `}`, or the whole key if that is empty. */
function hashTag(key: string): string {
  const open = key.indexOf('{');
  const close = open < 0 ? -1 : key.indexOf('}', open + 1);
  return close > open + 1 ? key.slice(open + 1, close) : key;
}

function slotOfBytes(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) crc = ((crc << 8) & 0xffff) ^ CRC16[(crc >> 8) ^ byte]!;
  return crc % SLOTS;
}

const tags: (string | undefined)[] = [];
let triedTags = 0;

/**
 * The shortest decimal number in this slot: a hash tag for keys that exist once per slot, the same
 * in every process. Finding all of them takes about 10 ms, so they are found on demand.
 */
export function hashTagFor(slot: number): string {
  for (; tags[slot] === undefined; triedTags += 1) tags[slotOf(String(triedTags))] ??= String(triedTags);
  return tags[slot];
}
