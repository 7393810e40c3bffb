import { BackendUnavailableError } from 'bedrock-lock';
import { reasonOf } from '../report/reason-of.js';
import { ServerError } from '../server/server.error.js';
import type { Answer } from './answer.js';

/** Outcomes of concurrent requests. */
export interface RequestOutcomes {
  /** How many requests got this answer. */
  count(answer: Answer): number;
  /** Reasons of the requests without an answer: a client would see a server error. */
  readonly failures: readonly string[];
}

/**
 * Sends a number of requests at once, and waits for all of them.
 * @throws if a server is gone: that says nothing about the scheme
 */
export async function atOnce(
  requests: number,
  request: (index: number) => Promise<Answer>,
): Promise<RequestOutcomes> {
  const ends = await Promise.allSettled(Array.from({ length: requests }, (_, index) => request(index)));
  const reasons = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason as unknown] : []));
  const gone = reasons.find(isOfServer);
  if (gone !== undefined) throw gone;
  return {
    count: (answer) => ends.filter((end) => end.status === 'fulfilled' && end.value === answer).length,
    failures: reasons.map(reasonOf),
  };
}

function isOfServer(reason: unknown): reason is Error {
  return reason instanceof ServerError || reason instanceof BackendUnavailableError;
}
