import { BackendUnavailableError } from '../../../../core/errors.js';

export const BACKEND = 'etcd';

/** Texts of grpc-js for a request that no connection took. */
const NOT_SENT =
  /No connection established|Name resolution failed|Waiting for LB pick|Channel closed before call|Channel has been shut down|client was already closed/i;
/** Texts and codes by which etcd says that it did not do what was asked. */
const REFUSED =
  /permission denied|invalid auth token|authentication (?:failed|is not enabled)|user name is empty|too many requests|database space exceeded|request is too large|not capable|INVALID_ARGUMENT|UNAUTHENTICATED|PERMISSION_DENIED|UNIMPLEMENTED|Cannot find (?:package|module)/i;

/** Texts by which a member of etcd says that it did not hear from its leader, or was too slow. It may be done later. */
const NOT_IN_TIME = /etcdserver: (?:request timed out|leader changed|no leader|not leader)/;

/** What became of a request, as far as the error tells. */
export type RequestFate = 'notSent' | 'refused' | 'noLease' | 'notInTime' | 'unanswered';

/** Reads the fate of a request from an error of etcd3, whose classes keep the text of gRPC alone. */
export function fateOf(error: unknown): RequestFate {
  if (error instanceof BackendUnavailableError) return error.executed === 'no' ? 'refused' : 'unanswered';
  const text = error instanceof Error ? error.message : String(error);
  if (/requested lease not found/.test(text)) return 'noLease';
  if (REFUSED.test(text)) return 'refused';
  if (NOT_IN_TIME.test(text)) return 'notInTime';
  return NOT_SENT.test(text) ? 'notSent' : 'unanswered';
}

/** The request was certainly not executed. */
export function notExecuted(detail: string, cause?: unknown): BackendUnavailableError {
  return new BackendUnavailableError(BACKEND, detail, 'no', { cause });
}

/** The request was sent, but no answer arrived. */
export function noAnswer(detail: string, cause?: unknown): BackendUnavailableError {
  return new BackendUnavailableError(BACKEND, detail, 'unknown', { cause });
}

/** A lease of etcd that was asked for is gone: nothing was done, and nothing attached to it is left. */
export class EtcdLeaseNotFoundError extends Error {}

/** An error of etcd3 as callers see it. */
export function toBackendError(error: unknown): Error {
  if (error instanceof BackendUnavailableError) return error;
  const text = error instanceof Error ? error.message : String(error);
  const fate = fateOf(error);
  if (fate === 'noLease') return new EtcdLeaseNotFoundError(text, { cause: error });
  const isOpen = fate === 'unanswered' || fate === 'notInTime';
  return isOpen ? noAnswer(text, error) : notExecuted(text, error);
}
