import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Bedrock } from 'bedrock-lock';
import { combination } from 'bedrock-lock/combination';
import { redis } from 'bedrock-lock/redis';
import {
  startEtcd,
  startMariadb,
  startPostgres,
  startRedis,
  startZooKeeper,
  type RunningServer,
} from 'bedrock-servers';
import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import ts from 'typescript';
import { runAll } from './run-all.js';
import { pagesOf, snippetsOf } from './snippets.js';

const root = resolve(import.meta.dirname, '../../..');
const orms = join(root, 'test/orm');
// Where the packages of every snippet resolve: those of test/orm, of test and of the workspace; outside of what git sees.
const folder = join(orms, 'node_modules/.cache/bedrock-snippets');

const options: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  lib: ['lib.es2023.d.ts', 'lib.esnext.disposable.d.ts'],
  types: ['node'],
  strict: true,
  skipLibCheck: true,
  experimentalDecorators: true,
  emitDecoratorMetadata: true,
  outDir: join(folder, 'out'),
  rootDir: folder,
};

const pages = pagesOf(root);
const snippets = pages
  .flatMap((page) => snippetsOf(root, page))
  .filter(({ language }) => language === 'ts')
  .map((snippet, i) => ({
    ...snippet,
    source: join(folder, `snippet-${i}.mts`),
    output: join(folder, 'out', `snippet-${i}.mjs`),
  }));

describe('the documentation', () => {
  let server: RunningServer;
  let nodes: readonly RunningServer[];
  /** Where else locks may live, by the variable that names its address. */
  let others: Readonly<Record<string, RunningServer>>;
  let problems: Map<string, string[]>;
  /** What went wrong with each snippet that ran, by its output file. */
  let outcomes: ReadonlyMap<string, string | undefined>;

  beforeAll(async () => {
    const [redisServer, redisNodes, POSTGRES_URL, MYSQL_URL, ETCD_URL, ZOOKEEPER_URL] = await Promise.all([
      startRedis({ shared: true }),
      Promise.all([1, 2, 3].map(() => startRedis())),
      startPostgres({ shared: true }),
      startMariadb({ shared: true }),
      startEtcd({ shared: true }),
      startZooKeeper({ shared: true }),
    ]);
    server = redisServer;
    nodes = redisNodes;
    others = { POSTGRES_URL, MYSQL_URL, ETCD_URL, ZOOKEEPER_URL };
    await lockOnce(nodes);
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    for (const { source, code } of snippets) writeFileSync(source, code);
    const prismaClient = generatePrismaClient();
    // Named one by one: the compiler writes no module of `node_modules` that another one only imports.
    problems = compile([...snippets.map(({ source }) => source), ...prismaClient]);
    const REDIS_URLS = nodes.map(({ url }) => url).join(',');
    const urls = Object.fromEntries(Object.entries(others).map(([name, { url }]) => [name, url]));
    const compiled = snippets.filter(({ source }) => !problems.has(source));
    outcomes = await runAll(compiled, { REDIS_URL: server.url, REDIS_URLS, ...urls, NODE_OPTIONS: '' });
  }, 180_000);
  afterAll(() =>
    Promise.all([server, ...(nodes ?? []), ...Object.values(others ?? {})].map((one) => one?.stop())),
  );

  it.each(snippets.map((snippet) => [`${snippet.file}:${snippet.line}`, snippet] as const))(
    'has a snippet that compiles and runs at %s',
    (_place, { source, output }) => {
      expect(problems.get(source) ?? []).toEqual([]);
      expect([...outcomes.keys()]).toContain(output);
      expect(outcomes.get(output)).toBeUndefined();
    },
  );

  it('has links to pages that exist', () => {
    const dead = pages.flatMap((page) =>
      Array.from(
        readFileSync(page, 'utf8').matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)[^)]*\)/g),
        ([, target]) => target!,
      )
        .filter((target) => !existsSync(join(dirname(page), target)))
        .map((target) => `${page}: ${target}`),
    );
    expect(dead).toEqual([]);
  });

  it.each([
    ['README.md', 'README.zh-CN.md'],
    ['docs/choosing.md', 'docs/zh-CN/choosing.md'],
    ['docs/first-lock.md', 'docs/zh-CN/first-lock.md'],
    ['docs/observability.md', 'docs/zh-CN/observability.md'],
  ])('keeps the translation of %s in step: the same sections, code, links and rows', (english, chinese) => {
    const shape = (file: string) => {
      const text = readFileSync(join(root, file), 'utf8');
      return {
        headings: Array.from(text.matchAll(/^(#+) /gm), ([, level]) => level),
        code: snippetsOf(root, join(root, file))
          .filter(({ language }) => language !== 'text')
          .map(({ code }) => code),
        links: Array.from(text.matchAll(/\]\(([^)]+)\)/g), ([, target]) => englishPage(file, target!)).sort(),
        rows: Array.from(text.matchAll(/^\|/gm)).length,
      };
    };
    expect(shape(chinese)).toEqual(shape(english));
  });
});

/** The page that a link of this file leads to, in English, from the root; anchors of translations are Chinese. */
function englishPage(file: string, target: string): string {
  const page = target.replace(/#.*/, '') || basename(file);
  return join(dirname(file), page).replace('zh-CN/', '').replace('.zh-CN', '');
}

/** Makes nodes known, as those of a user are: the first lock on empty ones would wait for the longest lease. */
async function lockOnce(nodes: readonly RunningServer[]): Promise<void> {
  const backend = combination({ nodes: nodes.map(({ url }) => redis(url)), coldStart: 'trust' });
  const bedrock = new Bedrock({ backend });
  await bedrock.ready();
  await bedrock.mutex('first').run(() => undefined);
  await bedrock.close();
}

/** Makes the client that the page on Prisma imports, next to the snippets; gives its modules. */
function generatePrismaClient(): string[] {
  const schema = join(folder, 'schema.prisma');
  copyFileSync(join(orms, 'schema.prisma'), schema);
  const prisma = join(orms, 'node_modules/prisma/build/index.js');
  // The command downloads an engine that it does not use, unless this variable names a file.
  const env = { ...process.env, NODE_OPTIONS: '', PRISMA_SCHEMA_ENGINE_BINARY: process.execPath };
  execFileSync(process.execPath, [prisma, 'generate', '--schema', schema], { cwd: orms, env, stdio: 'pipe' });
  const generated = join(folder, 'generated');
  return readdirSync(generated, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(generated, name));
}

function compile(files: string[]): Map<string, string[]> {
  const program = ts.createProgram(files, options);
  const found = new Map<string, string[]>();
  for (const diagnostic of [...ts.getPreEmitDiagnostics(program), ...program.emit().diagnostics]) {
    const file = diagnostic.file?.fileName ?? '';
    found.set(file, [
      ...(found.get(file) ?? []),
      ts.flattenDiagnosticMessageText(diagnostic.messageText, '\n'),
    ]);
  }
  return found;
}
