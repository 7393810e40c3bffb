/* global AbortSignal, fetch, setTimeout */

/** Longer than an order may take while its stock service is unavailable. */
const GIVE_UP_MS = 60_000;
const PAUSE_MS = 1_000;

/**
 * Sends an order until it is answered. The key stays the same, so a retry never orders again.
 * @returns `{ status, body, isReplayed }` of the response
 * @throws if no response arrives within a minute
 */
export async function send(order, key) {
  const deadline = Date.now() + GIVE_UP_MS;
  for (;;) {
    const reply = await post(order, key).catch((error) => ({ error }));
    if (reply.error === undefined && !isPassing(reply)) return reply;
    if (Date.now() + PAUSE_MS > deadline) throw reply.error ?? new Error(`the shop answers ${reply.status}`);
    await new Promise((resume) => setTimeout(resume, reply.retryAfterMs ?? PAUSE_MS));
  }
}

async function post(order, key) {
  const response = await fetch('/orders', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'Idempotency-Key': key },
    body: JSON.stringify(order),
    signal: AbortSignal.timeout(GIVE_UP_MS),
  });
  const wait = response.headers.get('Retry-After');
  return {
    status: response.status,
    body: await response.json(),
    isReplayed: response.headers.get('Idempotent-Replayed') === 'true',
    ...(wait !== null && { retryAfterMs: Math.min(5_000, Number(wait) * 1_000 || PAUSE_MS) }),
  };
}

/** 409: the first of the two requests is still in flight. */
function isPassing({ status }) {
  return status === 409 || status >= 500;
}
