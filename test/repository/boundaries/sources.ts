import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A file of the repository, by its path from the root. */
export interface Source {
  readonly path: string;
  readonly text: string;
}

/** A workspace package: what may be imported from it, and what it declares to need. */
export interface Package {
  readonly folder: string;
  readonly name: string;
  /** `bedrock-lock`, `bedrock-lock/redis`, … */
  readonly entries: readonly string[];
  readonly declared: readonly string[];
  /** Peers that need not be installed. */
  readonly optional: readonly string[];
}

interface Manifest {
  readonly name: string;
  readonly exports?: Readonly<Record<string, unknown>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

/** The sources of all libraries and applications, without their tests. */
export function readSources(root: string): Source[] {
  return packageFolders(root).flatMap((folder) =>
    readdirSync(join(root, folder, 'src'), { recursive: true, encoding: 'utf8' })
      .map((name) => `${folder}/src/${name.replaceAll('\\', '/')}`)
      .filter((path) => path.endsWith('.ts') && !path.endsWith('.spec.ts'))
      .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') })),
  );
}

export function readPackages(root: string): Package[] {
  return [...packageFolders(root), 'test/servers'].map((folder) => {
    const manifest = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as Manifest;
    return {
      folder,
      name: manifest.name,
      entries: Object.keys(manifest.exports ?? {}).map((subpath) => manifest.name + subpath.slice(1)),
      declared: Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }),
      optional: Object.entries(manifest.peerDependenciesMeta ?? {}).flatMap(([peer, { optional }]) =>
        optional === true ? [peer] : [],
      ),
    };
  });
}

function packageFolders(root: string): string[] {
  return ['libs', 'apps'].flatMap((parent) =>
    readdirSync(join(root, parent)).map((name) => `${parent}/${name}`),
  );
}
