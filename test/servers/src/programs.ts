import { findBinary } from './binary.js';
import { installDebianPackages } from './debian.js';
import { NotHere } from './finding.js';

export interface Programs<Name extends string> {
  /** The programs, each with the environment variable that may name it elsewhere. */
  readonly overrides: Readonly<Record<Name, string>>;
  /** Debian packages that bring all of them. */
  readonly packages: readonly string[];
}

/**
 * Paths of programs that tests run, such as a compiler: what their variables name, else the first on PATH, else
 * installed, as root on Debian.
 * @throws one error that names every missing program and what to do; a test never skips because of it
 */
export async function findPrograms<Name extends string>({
  overrides,
  packages,
}: Programs<Name>): Promise<Readonly<Record<Name, string>>> {
  const find = () => {
    const found = Object.entries<string>(overrides).map(([name, override]) => [
      name,
      findBinary(name, override),
    ]);
    return Object.fromEntries(found) as Record<Name, string>;
  };
  const tried: string[] = [];
  for (const prepare of [nothing, () => installDebianPackages(packages, () => succeeds(find))]) {
    try {
      await prepare();
      return find();
    } catch (error) {
      if (!(error instanceof NotHere)) throw error;
      tried.push(error.message);
    }
  }
  throw new Error(
    `A program is missing: ${tried.join('; ')}.\nInstall it (Debian: apt-get install ${packages.join(' ')}).`,
  );
}

async function nothing(): Promise<void> {}

function succeeds(find: () => unknown): boolean {
  try {
    find();
    return true;
  } catch {
    return false;
  }
}
