import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { COMMANDS, fits, REAL_TIME, ROWS, rowOf, specFiles } from '../../commands.mjs';

const root = join(import.meta.dirname, '../../..');
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>;
};

/** What a spec file starts, by the functions of bedrock-servers that it or its relative imports call. */
const STARTS: Readonly<Record<string, RegExp>> = {
  redis: /\bstart(Redis|Cluster|Sentinels)\(/,
  zookeeper: /\bstartZooKeeper/,
  etcd: /\bstartEtcd/,
  mysql: /\bstartMariadb\(/,
  postgres: /\bstartPostgres\(/,
  prometheus: /\b(startPrometheus|findPromtool)\(/,
  shells: /\bbashCompletion\(/,
  pgbouncer: /\bstartPgbouncer\(/,
  redisson: /\bjavaSide\(/,
  sqlite: /\bfindPrograms\(\{ overrides: \{ sqlite3\b/,
};

function sourcesOf(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  for (const [, path] of readFileSync(file, 'utf8').matchAll(/from '(\.[^']*)'/g)) {
    const target = join(dirname(file), path!.replace(/\.js$/, '.ts'));
    if (existsSync(target) && !target.includes('/src/')) sourcesOf(target, seen);
  }
  return seen;
}

describe('the commands of the tests', () => {
  const files = specFiles();

  it('run every spec file, each in exactly one of them', () => {
    const ambiguous = files.filter((file) => {
      const entries = ROWS.flatMap((row) => row.files).filter((entry) => fits(entry, file));
      return new Set(entries).size < entries.length;
    });
    expect(files.filter((file) => rowOf(file) === undefined)).toEqual([]);
    expect(ambiguous).toEqual([]);
  });

  it('name no file that is gone', () => {
    const entries = ROWS.flatMap((row) => row.files);
    expect([...entries, ...REAL_TIME].filter((entry) => !files.some((file) => fits(entry, file)))).toEqual(
      [],
    );
  });

  it('are scripts of the package', () => {
    expect(COMMANDS.filter(({ name }) => scripts[name] === undefined)).toEqual([]);
    expect(ROWS.filter(({ command }) => !COMMANDS.some(({ name }) => name === command))).toEqual([]);
  });

  it('have the servers that their files start', () => {
    const missing = files.flatMap((file) => {
      const text = [...sourcesOf(join(root, file))].map((source) => readFileSync(source, 'utf8')).join('\n');
      const started = Object.keys(STARTS).filter((need) => STARTS[need]!.test(text));
      const { needs } = rowOf(file)!;
      return started
        .filter((need) => !needs.some((one) => one === need))
        .map((need) => `${file} needs ${need}`);
    });
    expect(missing).toEqual([]);
  });

  it('have the packages that their files import', () => {
    const manifest = JSON.parse(readFileSync(join(root, 'test/package.json'), 'utf8')) as {
      devDependencies: object;
    };
    const own = Object.keys(manifest.devDependencies);
    const importsOf = (file: string): string[] =>
      [...sourcesOf(join(root, file))].flatMap((source) =>
        Array.from(readFileSync(source, 'utf8').matchAll(/from '([^'.][^']*)'/g), ([, name]) => name!),
      );
    const needing = files.filter((file) =>
      importsOf(file).some((name) => own.some((one) => name === one || name.startsWith(`${one}/`))),
    );
    expect(needing.length).toBeGreaterThan(20);
    expect(needing.filter((file) => !rowOf(file)!.needs.includes('packages'))).toEqual([]);
  });
});

describe('the map of the tests', () => {
  it('names files that are there', () => {
    const text = readFileSync(join(root, 'test/README.md'), 'utf8');
    const names = [...text.matchAll(/`((?:test\/)?[a-z][\w-]*\/[\w./-]+)`/g)].map(([, name]) =>
      name!.replace(/^test\//, ''),
    );
    const isThere = (name: string): boolean =>
      [`${name}.spec.ts`, `${name}.ts`, name, `../${name}`].some((path) =>
        existsSync(join(root, 'test', path)),
      );
    expect(names.length).toBeGreaterThan(50);
    expect(names.filter((name) => !isThere(name))).toEqual([]);
  });
});
