import type { Clock } from 'bedrock-lock';

const MINUTE_MS = 60_000;

/** A question that is true at most once a minute: whether a line that repeats is due. */
export function onceAMinute(clock: Clock): () => boolean {
  let lastAt = -Infinity;
  return () => {
    const now = clock.now();
    if (now - lastAt < MINUTE_MS) return false;
    lastAt = now;
    return true;
  };
}
