import type { Backend } from 'bedrock-lock';
import type { HeldResource } from 'bedrock-lock/backend';
import { setTimeout as sleep } from 'node:timers/promises';
import { adminOf } from './admin-of.js';

/** Names that a page reads. */
const PAGE = 1_000;
/**
 * A list may take 3 % of one core of the server. The time of a page is mostly the server's, so the pause after it is this many times
 * as long.
 */
const PAUSES_PER_PAGE = 32;

/**
 * The locks whose name begins with the prefix, each once, at a pace that leaves the server to the applications.
 * @throws BackendUnavailableError
 */
export async function* listLocks(backend: Backend, prefix: string): AsyncGenerator<HeldResource> {
  const admin = adminOf(backend);
  const seen = new Set<string>();
  let cursor: string | undefined;
  do {
    const askedAt = performance.now();
    const page = await admin.list({ prefix, limit: PAGE, ...(cursor !== undefined && { cursor }) });
    const tookMs = performance.now() - askedAt;
    for (const one of page.resources) {
      const key = `${one.shape.capacity} ${one.resource}`;
      if (seen.has(key)) continue;
      seen.add(key);
      yield one;
    }
    cursor = page.cursor;
    if (cursor !== undefined) await sleep(tookMs * PAUSES_PER_PAGE);
  } while (cursor !== undefined);
}
