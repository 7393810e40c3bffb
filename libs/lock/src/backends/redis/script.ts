import { createHash } from 'node:crypto';
import { scripts } from './scripts.generated.js';

/** A script as the server sees it: its parts and its body in one text, known by the hash of that text. */
export interface Script {
  readonly source: string;
  readonly sha1: string;
}

const { partClock, partItem, partGuard, partToken, partLine, partWake } = scripts;

export const CLAIM = join(partClock, partItem, partGuard, partToken, partLine, scripts.claimN);
export const WITHDRAW = join(partClock, partItem, partLine, partWake, scripts.withdrawN);
export const RENEW = join(partClock, partItem, scripts.renewN);
export const ANNOTATE = join(partClock, partItem, scripts.annotateN);
export const INSPECT = join(partClock, scripts.inspect);
export const REVOKE = join(partClock, partLine, partWake, scripts.revoke);

export const ALL_SCRIPTS: readonly Script[] = [CLAIM, WITHDRAW, RENEW, ANNOTATE, INSPECT, REVOKE];

function join(...parts: readonly { readonly source: string }[]): Script {
  const source = parts.map((part) => part.source).join('\n');
  return Object.freeze({ source, sha1: createHash('sha1').update(source).digest('hex') });
}
