import type { Backend } from 'bedrock-lock';
import type { Claim } from 'bedrock-lock/backend';

/** More often than the longest silence of a waiter, with room for a process that stands still. */
const ASK_EVERY_MS = 600;

/**
 * Asks for what waits again and again while `act` runs, as callers do: a waiter that is silent for 1.3 s is taken out of the
 * queue by its process.
 * @param waiting claims leave it when they are granted
 */
export async function whileAsking(
  backend: Backend,
  waiting: readonly Claim[],
  act: () => Promise<void>,
): Promise<void> {
  const ask = (): void => {
    const notAfter = performance.now() + backend.operationTimeoutMs;
    for (const claim of waiting) backend.leases.claim({ ...claim, notAfter }).catch(() => undefined);
  };
  const timer = setInterval(ask, ASK_EVERY_MS);
  try {
    await act();
  } finally {
    clearInterval(timer);
  }
}
