import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { NotHere } from './finding.js';
import { homebrewFolders } from './homebrew.js';

/** Debian puts servers into sbin, which is not on every user's PATH. */
const ALSO = ['/usr/local/sbin', '/usr/sbin', '/sbin'];

/**
 * The path of a program: what the environment variable `override` names, else the first on PATH.
 * @throws NotHere when there is none; Error when `override` names something that cannot be run
 */
export function findBinary(program: string, override: string): string {
  const given = process.env[override];
  if (given !== undefined && given !== '') {
    if (isExecutable(given)) return given;
    throw new Error(`${override} names "${given}", which is not an executable file`);
  }
  const path = (process.env['PATH'] ?? '').split(delimiter).filter(Boolean);
  const folders = [...path.filter(isReal), ...homebrewFolders(), ...ALSO, ...path];
  const found = folders.map((folder) => join(folder, program)).find(isExecutable);
  if (found === undefined) throw new NotHere(`no ${program} on PATH, and ${override} is not set`);
  return found;
}

/** True where `find` does not throw. */
export function isFound(find: () => unknown): boolean {
  try {
    find();
    return true;
  } catch {
    return false;
  }
}

/** The `java` that macOS has in /usr/bin only says that there is none: what else is found counts more. */
function isReal(folder: string): boolean {
  return process.platform !== 'darwin' || folder !== '/usr/bin';
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
