import type { Backend } from 'bedrock-lock';
import type { HeldResource } from 'bedrock-lock/backend';
import { setTimeout as sleep } from 'node:timers/promises';
import { adminOf } from './admin-of.js';

/** Names that a page reads: few, since the first page takes longer than those after it. */
const PAGE = 200;
/**
 * The pause after a page is this many times as long as the page. A list may take 3 % of one core of the server, and a page takes
 * longer than the server works for it.
 */
const PAUSES_PER_PAGE = 32;

/**
 * The locks whose name begins with the prefix, each once, at a pace that leaves the server to the applications.
 * @param stopped ends the list early
 * @throws BackendUnavailableError
 */
export async function* listLocks(
  backend: Backend,
  prefix: string,
  stopped?: AbortSignal,
): AsyncGenerator<HeldResource> {
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
    if (cursor !== undefined)
      await sleep(tookMs * PAUSES_PER_PAGE, undefined, { signal: stopped }).catch(() => undefined);
  } while (cursor !== undefined && stopped?.aborted !== true);
}
