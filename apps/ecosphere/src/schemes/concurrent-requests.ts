import { BackendUnavailableError } from 'bedrock-lock';
import { reasonOf } from '../report/reason-of.js';
import { ServerError } from '../server/server.error.js';
import type { Answer } from './answer.js';

/** What became of requests that came at once. */
export interface RequestOutcomes {
  /** How many were told so. */
  count(answer: Answer): number;
  /** Why the others have no answer: what a client would see as an error of the server. */
  readonly failures: readonly string[];
}

/** Sends so many requests at once, and waits for all of them. @throws when a server is gone: that says nothing of the scheme */
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
