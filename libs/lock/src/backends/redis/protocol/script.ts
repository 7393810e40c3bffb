import { IN_CLUSTER, scripts } from './scripts.generated.js';

/** A script as sent to the server, identified by the hash of its text. */
export interface Script {
  readonly source: string;
  readonly sha1: string;
  /** The hash of the cluster variant, whose text publishes on shard channels. */
  readonly sha1InCluster: string;
}

export const CLAIM: Script = scripts.claimN;
export const CLAIM_ALL: Script = scripts.claimAllN;
export const WITHDRAW: Script = scripts.withdrawN;
export const RENEW: Script = scripts.renewN;
export const ANNOTATE: Script = scripts.annotateN;
export const INSPECT: Script = scripts.inspect;
export const FIND: Script = scripts.find;
export const REVOKE: Script = scripts.revoke;
export const RAISE_TOKEN: Script = scripts.raiseToken;

export const FAIR_CLAIM: Script = scripts.fairClaimN;
export const FAIR_WITHDRAW: Script = scripts.fairWithdrawN;
export const FAIR_REVOKE: Script = scripts.fairRevoke;

export const LEASE_SEMAPHORE_CLAIM: Script = scripts.leaseSemaphoreClaimN;
export const LEASE_SEMAPHORE_WITHDRAW: Script = scripts.leaseSemaphoreWithdrawN;
export const LEASE_SEMAPHORE_RENEW: Script = scripts.leaseSemaphoreRenewN;
export const LEASE_SEMAPHORE_INSPECT: Script = scripts.leaseSemaphoreInspect;
export const LEASE_SEMAPHORE_REVOKE: Script = scripts.leaseSemaphoreRevoke;

export const RW_CLAIM: Script = scripts.rwClaimN;
export const RW_WITHDRAW: Script = scripts.rwWithdrawN;
export const RW_RENEW: Script = scripts.rwRenewN;
export const RW_ANNOTATE: Script = scripts.rwAnnotateN;
export const RW_INSPECT: Script = scripts.rwInspect;
export const RW_REVOKE: Script = scripts.rwRevoke;

const clusterForms = new Map<Script, Script>();

/** The variant of the script for this server. */
export function scriptFor({ isSharded }: { readonly isSharded: boolean }, script: Script): Script {
  if (!isSharded || script.sha1 === script.sha1InCluster) return script;
  let form = clusterForms.get(script);
  if (form === undefined) {
    let { source } = script;
    for (const [part, inCluster] of IN_CLUSTER) source = source.replaceAll(part, inCluster);
    form = { source, sha1: script.sha1InCluster, sha1InCluster: script.sha1InCluster };
    clusterForms.set(script, form);
  }
  return form;
}

/** Loaded on every connection; scripts of other kinds are loaded at their first use. */
export const PRELOADED_SCRIPTS: readonly Script[] = [CLAIM, WITHDRAW, RENEW, ANNOTATE, INSPECT, REVOKE];
