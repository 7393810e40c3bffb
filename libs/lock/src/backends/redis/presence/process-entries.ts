import type { ProcessView } from '../../../core/claim.js';
import type { ProcessEntry } from '../../../core/ports/admin.js';
import { PROCESS_LIFE_MS, type ProcessEntries } from '../../kit/process-directory.js';
import type { Send } from '../connection/redis-calls.js';
import { processKey } from '../protocol/keys.js';

/** The entries of processes as texts that expire. */
export function processEntries(processId: string, send: Send): ProcessEntries {
  const key = processKey(processId);
  return {
    write: (own) => send('set', [key, JSON.stringify(own), 'PX', PROCESS_LIFE_MS]),
    remove: () => send('del', [key]),
    read: (processIds) =>
      Promise.all(processIds.map(async (id) => [id, parse(await send('get', [processKey(id)]))] as const)),
  };
}

/** The processes of these entries; those that have expired meanwhile are left out. */
export async function readProcesses(
  entries: ProcessEntries,
  ids: readonly string[],
): Promise<readonly ProcessEntry[]> {
  const read = [...(await entries.read(ids))];
  return read.flatMap(([id, view]) => (view === undefined ? [] : [{ id, ...view }]));
}

/** Parses an entry, which any client may have written. */
function parse(text: unknown): ProcessView | undefined {
  if (typeof text !== 'string' || text.length > 4_096) return undefined;
  try {
    const { host, pid, label } = JSON.parse(text) as Partial<ProcessView>;
    if (typeof host !== 'string' || typeof pid !== 'number') return undefined;
    return { host, pid, ...(typeof label === 'string' && { label }) };
  } catch {
    return undefined;
  }
}
