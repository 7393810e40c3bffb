import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Where Homebrew installs, on Apple silicon and on Intel. These folders are from its documentation: nothing but the search in
 * them could be tried, since there is no macOS here.
 */
const PREFIXES = process.platform === 'darwin' ? ['/opt/homebrew', '/usr/local'] : [];
/** Formulas that are not linked into `bin` when they are of a version, or when the system has the same. */
const KEGS = /^(postgresql|openjdk|mariadb|redis|etcd|maven)(@\d+)?$/;

/** Folders of programs: the linked ones, then those of each formula, the newest version first. */
export function homebrewFolders(prefixes: readonly string[] = PREFIXES): string[] {
  return prefixes.flatMap((prefix) => {
    const opt = join(prefix, 'opt');
    const kegs = existsSync(opt) ? readdirSync(opt).filter((name) => KEGS.test(name)) : [];
    const newest = kegs.sort((a, b) => versionOf(b) - versionOf(a));
    return [join(prefix, 'bin'), ...newest.map((keg) => join(opt, keg, 'bin'))];
  });
}

/** The jars of ZooKeeper. */
export function homebrewJars(prefixes: readonly string[] = PREFIXES): string | undefined {
  return prefixes.map((prefix) => join(prefix, 'opt/zookeeper/libexec/lib')).find((path) => existsSync(path));
}

/** A formula without a version is the newest. */
function versionOf(keg: string): number {
  return Number(keg.split('@')[1] ?? Infinity);
}
