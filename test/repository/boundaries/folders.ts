import { posix } from 'node:path';
import type { Import } from './imports.js';
import type { Source } from './sources.js';

/** A reader takes in so many files at a glance. */
const MOST_FILES = 12;

/** The imports of the libraries as arrows between folders, so that a circle of folders is found like one of files. */
export function betweenFolders(imports: readonly Import[]): Import[] {
  const arrows = new Map<string, Import>();
  for (const one of imports) {
    if (one.to === undefined || !isOfLibrary(one.from)) continue;
    const [from, to] = [posix.dirname(one.from), posix.dirname(one.to)];
    if (from !== to) arrows.set(`${from} → ${to}`, { ...one, from, to });
  }
  return [...arrows.values()];
}

/** Folders of the libraries with more files than a reader takes in; index files do not count. */
export function crowdedFolders(sources: readonly Source[]): string[] {
  return [...filesByFolder(sources)]
    .filter(([, files]) => files.length > MOST_FILES)
    .map(([folder, files]) => `${folder}: has ${files.length} files, and may have ${MOST_FILES}`);
}

/** Files of the libraries that have a folder for themselves, which is one step more and tells nothing. */
export function lonelyFiles(sources: readonly Source[]): string[] {
  const folders = filesByFolder(sources);
  const isParent = (folder: string) => [...folders.keys()].some((other) => other.startsWith(`${folder}/`));
  return [...folders]
    .filter(([folder, files]) => files.length === 1 && !isParent(folder))
    .map(([folder, [file]]) => `${file}: is alone in ${folder}`);
}

function filesByFolder(sources: readonly Source[]): Map<string, string[]> {
  const folders = new Map<string, string[]>();
  for (const { path } of sources) {
    if (!isOfLibrary(path) || /\/(index|\w+\.generated)\.ts$/.test(path)) continue;
    const folder = posix.dirname(path);
    folders.set(folder, [...(folders.get(folder) ?? []), path]);
  }
  return folders;
}

function isOfLibrary(path: string): boolean {
  return path.startsWith('libs/');
}
