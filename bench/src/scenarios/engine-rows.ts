import { ENGINE_NAMES } from '../engines/engines.js';
import { engineOf, type LibraryName } from '../libraries/catalogue.js';
import type { BenchServers, Target } from './scenario.js';

/** Rows that let the server queue callers, where a database user would do so instead of polling. */
const WAITING: Partial<Record<LibraryName, LibraryName>> = {
  'raw-postgres': 'advisory-postgres',
  'raw-mysql': 'named-mysql',
};

const raw = (library: LibraryName): LibraryName => `raw-${engineOf(library)}`;
const waiting = (library: LibraryName): LibraryName => WAITING[raw(library)] ?? raw(library);

/**
 * Each engine with the hand-made lock and with Bedrock; the hand-made lock of an engine is the reference of its Bedrock
 * row.
 */
export const FREE = rowsOf(raw);
/** The same for callers that wait for each other. */
export const CROWDED = rowsOf(waiting);

function rowsOf(rawOf: (library: LibraryName) => LibraryName) {
  const libraries = ENGINE_NAMES.flatMap((engine): LibraryName[] => {
    const library = `bedrock-${engine}` as const;
    return [rawOf(library), library];
  });
  return { libraries, rawOf };
}

/** A bound that Bedrock must keep on every engine. */
export function onEveryEngine(target: Omit<Target, 'library'>): Target[] {
  return ENGINE_NAMES.map((engine) => ({ ...target, library: `bedrock-${engine}` }));
}

/** The servers of a row: those of its engine. */
export async function serversOf(library: LibraryName, servers: BenchServers): Promise<BenchServers> {
  return { ...servers, url: await servers.urlOf(engineOf(library)) };
}
