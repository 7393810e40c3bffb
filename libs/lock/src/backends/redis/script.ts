import { scripts } from './scripts.generated.js';

/** A script as the server sees it, known by the hash of its text. */
export interface Script {
  readonly source: string;
  readonly sha1: string;
}

export const CLAIM: Script = scripts.claimN;
export const WITHDRAW: Script = scripts.withdrawN;
export const RENEW: Script = scripts.renewN;
export const ANNOTATE: Script = scripts.annotateN;
export const INSPECT: Script = scripts.inspect;
export const REVOKE: Script = scripts.revoke;

export const ALL_SCRIPTS: readonly Script[] = [CLAIM, WITHDRAW, RENEW, ANNOTATE, INSPECT, REVOKE];
