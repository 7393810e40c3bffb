import { isBuiltin } from 'node:module';
import { betweenFolders } from './folders.js';
import { circles, importsOf, reachedFrom, type Import } from './imports.js';
import type { Package, Source } from './sources.js';

/** What a layer may import: layers of its own package, and entries of others. */
interface Rule {
  readonly layers: readonly string[];
  readonly entries?: (entry: string) => boolean;
  /** Whether the packages that its package.json declares may be imported. */
  readonly mayUsePackages?: boolean;
}

/** Backends that do the same on another engine live in the folder of what they share. */
const FAMILIES: Readonly<Record<string, string>> = {
  zookeeper: 'session-queue',
  etcd: 'session-queue',
  mysql: 'sql',
  postgres: 'sql',
};

/** What the entries may import that serve no backend; the main one has no name. */
const ENTRY_LAYERS: Readonly<Record<string, readonly string[]>> = {
  '': ['root', 'primitives', 'engine', 'runtime', 'core', 'entry:backend', 'entry:integration'],
  backend: ['core'],
  integration: ['primitives', 'engine', 'recording', 'core'],
  opentelemetry: ['observability', 'core', 'entry'],
  prometheus: ['observability', 'core', 'entry'],
};

const nothing = () => false;
const LOCK_ENTRIES = ['bedrock-lock', 'bedrock-lock/backend', 'bedrock-lock/integration'];
const lockEntry = (entry: string) => LOCK_ENTRIES.includes(entry);
/** Entries that need an optional package, so their values are imported when they are needed. */
const TELEMETRY_ENTRIES = ['bedrock-lock/opentelemetry', 'bedrock-lock/prometheus'];
const telemetryEntry = (entry: string) => lockEntry(entry) || TELEMETRY_ENTRIES.includes(entry);
const testEntry = (entry: string) => lockEntry(entry) || entry === 'bedrock-lock/memory';

/** The picture of the architecture: imports point one way, and only an application picks a backend. */
function ruleOf(layer: string): Rule | undefined {
  const [kind, name] = layer.split(':');
  const family = `backend:${FAMILIES[name ?? '']}`;
  switch (kind) {
    case 'core':
      return { layers: ['core'] };
    case 'runtime':
      return { layers: ['runtime', 'core'] };
    case 'engine':
      return { layers: ['engine', 'runtime', 'core'] };
    case 'primitives':
      return { layers: ['primitives', 'engine', 'runtime', 'core'] };
    // What listens to the events of a Bedrock, and tells the library of a user.
    case 'observability':
      return { layers: ['observability', 'runtime', 'core'], mayUsePackages: true };
    // What listens to them for the tests of applications.
    case 'recording':
      return { layers: ['recording', 'core'] };
    case 'root':
      return { layers: ['primitives', 'engine', 'runtime', 'core'] };
    case 'entry':
      return { layers: ENTRY_LAYERS[name ?? ''] ?? [`backend:${name}`, family, 'core', 'entry'] };
    case 'backend':
      // What several families need, and no library of a server.
      if (name === 'kit') return { layers: [layer, 'runtime', 'core'] };
      return {
        layers: [layer, family, 'backend:kit', 'runtime', 'core'],
        mayUsePackages: true,
      };
    case 'nestjs':
      // Tests of applications run in memory; the application itself says where its locks live.
      if (name === 'testing') return { layers: [layer, 'nestjs'], entries: testEntry, mayUsePackages: true };
      if (name === 'telemetry')
        return { layers: [layer, 'nestjs'], entries: telemetryEntry, mayUsePackages: true };
      return { layers: ['nestjs', 'nestjs:telemetry'], entries: lockEntry, mayUsePackages: true };
    case 'testkit':
      return { layers: ['testkit'], entries: lockEntry, mayUsePackages: true };
    // A program for any backend.
    case 'cli':
    case 'app':
      return { layers: [layer], entries: () => true, mayUsePackages: true };
    default:
      return undefined;
  }
}

/** `libs/lock/src/backends/redis/x.ts` → `backend:redis`; undefined for a file that has no place. */
export function layerOf(path: string): string | undefined {
  const [parent, unit, , ...rest] = path.split('/');
  if (parent === 'apps') return `app:${unit}`;
  const [first = '', second, third = ''] = rest;
  const part = unit === 'nestjs' ? /^(testing|telemetry)(\.ts)?$/.exec(first)?.[1] : undefined;
  if (part !== undefined) return `nestjs:${part}`;
  if (unit !== 'lock') return unit;
  if (second !== undefined && first === 'backends')
    return `backend:${FAMILIES[third] === second ? third : second}`;
  if (second !== undefined) return first;
  if (first === 'bedrock.ts') return 'root';
  return first === 'index.ts' ? 'entry' : `entry:${first.replace(/\.ts$/, '')}`;
}

/** Every import that the architecture does not allow, one line each; an empty list is the promise kept. */
export function violations(sources: readonly Source[], packages: readonly Package[]): string[] {
  const known = new Set(sources.map(({ path }) => path));
  const imports = sources.flatMap(importsOf);
  const strays = sources.filter(({ path }) => ruleOf(layerOf(path) ?? '') === undefined);
  return [
    ...strays.map(({ path }) => `${path}: belongs to no layer`),
    ...imports.flatMap((one) => {
      const reason = one.to === undefined ? packageReason(one, packages) : fileReason(one, one.to, known);
      return reason === undefined ? [] : [`${one.from}: imports ${one.specifier}, ${reason}`];
    }),
    ...packages.flatMap((one) => eagerPeers(one, imports)),
    ...circles(imports).map((circle) => `circle: ${circle}`),
    ...circles(betweenFolders(imports)).map((circle) => `circle of folders: ${circle}`),
  ];
}

/** Peers that need not be installed, and that the main entry loads all the same. */
function eagerPeers({ folder, optional }: Package, imports: readonly Import[]): string[] {
  const entry = `${folder}/src/index.ts`;
  return reachedFrom(entry, imports)
    .filter(({ specifier, isLate }) => !isLate && optional.includes(packageName(specifier)))
    .map(({ from, specifier }) => `${from}: imports ${specifier}, an optional peer, and ${entry} loads it`);
}

function fileReason({ from }: Import, to: string, known: ReadonlySet<string>): string | undefined {
  if (packageFolder(from) !== packageFolder(to)) return 'which leaves its package';
  if (!known.has(to)) return 'which does not exist';
  const layer = layerOf(from) ?? '';
  const target = layerOf(to) ?? '';
  const rule = ruleOf(layer);
  return rule === undefined || rule.layers.includes(target)
    ? undefined
    : `but ${layer} may not import ${target}`;
}

function packageReason(
  { from, specifier, isTypeOnly, isLate }: Import,
  packages: readonly Package[],
): string | undefined {
  const layer = layerOf(from) ?? '';
  const rule = ruleOf(layer);
  if (rule === undefined || isBuiltin(specifier)) return undefined;
  const name = packageName(specifier);
  const own = packages.find(({ folder }) => folder === packageFolder(from));
  const workspace = packages.find((one) => one.name === name);
  if (own === workspace) return 'its own package, by name';
  if (workspace !== undefined) {
    if (!workspace.entries.includes(specifier)) return `which is no public entry of ${name}`;
    if (!(rule.entries ?? nothing)(specifier)) return `but ${layer} may not import it`;
    if (layer === 'nestjs:telemetry' && TELEMETRY_ENTRIES.includes(specifier) && !isTypeOnly && !isLate)
      return 'which needs an optional package: import() it when it is needed';
  } else if (rule.mayUsePackages !== true) return `but ${layer} may not use packages`;
  return own?.declared.includes(name) ? undefined : 'which its package.json does not declare';
}

function packageName(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}

function packageFolder(path: string): string {
  return path.split('/', 2).join('/');
}
