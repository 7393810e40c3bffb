import type { HolderView } from 'bedrock-lock';
import { durationText } from './durations.js';
import { visible } from './visible.js';

/** Names a holder by label, process and host where they are known, and says how long its lease lasts. */
export function holderText({ id, process, remainingMs, node }: HolderView): string {
  const holder =
    process === undefined
      ? visible(id)
      : `${process.label === undefined ? 'process' : visible(process.label)} ${visible(String(process.pid))}@${visible(String(process.host))}`;
  const place = node === undefined ? '' : ` on ${visible(node)}`;
  const life = remainingMs === Infinity ? 'has no lease' : `lease ends in ${durationText(remainingMs)}`;
  return `${holder}${place} (${life})`;
}
