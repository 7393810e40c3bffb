import { accessSync, constants, mkdtempSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Memory that Linux offers as a folder. macOS has none, and containers may have one of 64 MB. */
const MEMORY = '/dev/shm';
const ENOUGH_BYTES = 2 * 1024 ** 3;

/**
 * A new folder for the data of a server, or for a file that a test counts in: in memory where there is enough of it,
 * since no test needs a disk, else in the temporary folder.
 */
export function newDataFolder(name: string): string {
  return mkdtempSync(join(hasRoom(MEMORY) ? MEMORY : tmpdir(), `bedrock-${name}-`));
}

/** Whether this process may make folders there, and it has room for the servers of some test files. */
export function hasRoom(folder: string, bytes = ENOUGH_BYTES): boolean {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize >= bytes;
  } catch {
    return false;
  }
}
