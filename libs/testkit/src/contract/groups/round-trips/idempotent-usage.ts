import type { Taken, Usage, Use } from './usage.js';

const KEY = 'one';
/** A run is renewed after a third of its lease: of this one soon. */
const BRIEF_MS = 1_200;

/** A run under the key; it ends at its release. */
function begin({ peer, name }: Use, leaseMs: number): Promise<Taken> {
  return new Promise((resolve, reject) => {
    let end = (): void => undefined;
    const ended = peer.idempotency(name, { leaseMs }).run({ key: KEY }, () => {
      resolve({ release: () => (end(), ended) });
      return new Promise<void>((finish) => (end = finish));
    });
    ended.catch(reject);
  });
}

/** Resolves with the next answer: a request in flight would be counted before the step, and its answer after it. */
async function hearsMore({ context, peer }: Use, what: string): Promise<void> {
  let isAnswered = false;
  const stopListening = peer.on('backend.request', () => (isAnswered = true));
  await context.eventually(what, () => isAnswered).finally(stopListening);
}

/** Requests under one key: a repeated one waits for the result of the first. */
export const idempotentUsage: Usage = {
  isUsedOnce: true,
  hold: (use) => begin(use, 20_000),
  take: async ({ peer, name, signal }) => {
    const request = { key: KEY, waitMs: 5_000, ...(signal && { signal }) };
    await peer.idempotency(name).run(request, () => undefined);
    return { release: async () => undefined };
  },
  polls: (use) => hearsMore(use, 'it polls'),
  keep: async (use) => {
    const run = await begin(use, BRIEF_MS);
    return {
      // On a busy machine a lease that short may be over.
      release: () => Promise.allSettled([run.release()]),
      extend: () => hearsMore(use, 'it is renewed'),
    };
  },
};
