import { existsSync, readdirSync } from 'node:fs';
import { BAD } from '../../unit/testkit/bad-histories.js';
import { GOOD } from '../../unit/testkit/good-histories.js';
import { codeIn, filesBelow, read } from './pages.js';
import { pagesOf, snippetsOf } from './snippets.js';

/** A path from the root, or from the sources of `bedrock-lock`; a test goes by the beginning of its name. */
function isThere(path: string): boolean {
  const places = [path, `libs/lock/src/${path}`];
  return places.some((place) => ['', '.ts', '.spec.ts'].some((end) => existsSync(place + end)));
}

describe('what the documentation lists and counts', () => {
  it('is every page', () => {
    const list = read('docs/README.md');
    const pages = filesBelow('docs', '.md')
      .map((page) => page.slice('docs/'.length))
      // The records of decisions have a list of their own.
      .filter((page) => page !== 'README.md' && !/^decisions\/\d/.test(page));
    expect(pages.length).toBeGreaterThan(30);
    expect(pages.filter((page) => !list.includes(`](${page})`))).toEqual([]);
  });

  it('is short: no page has more than 250 lines, and the README 150', () => {
    const lines = (page: string): number => read(page).trimEnd().split('\n').length;
    expect(filesBelow('docs', '.md').filter((page) => lines(page) > 250)).toEqual([]);
    expect(lines('README.md')).toBeLessThanOrEqual(150);
  });

  it('never sends a reader to a package of strangers: `bedrock` and `bedrock-cli` on npm are not ours', () => {
    const pages = [...filesBelow('docs', '.md'), 'README.md', 'README.zh-CN.md', 'libs/cli/README.md'];
    // npx takes the first word for a package, unless -p names one.
    const foreign =
      /\bnpx (?:-y |--yes )?bedrock(?:-cli)?(?![\w-])|\bnpm (?:i|install|exec) .*(?<![\w/-])bedrock(?:-cli)?(?![\w/-])/g;
    expect('npx bedrock run\nnpm install -g bedrock-cli\nnpx --yes bedrock'.match(foreign)).toHaveLength(3);
    expect(
      'npx -p bedrock-lock-cli bedrock run\nnpm install nestjs-bedrock bedrock-lock'.match(foreign),
    ).toBeNull();
    expect(pages.flatMap((page) => read(page).match(foreign) ?? [])).toEqual([]);
  });

  it.each(['lock', 'nestjs'])('is every entry of %s', (library) => {
    const { name, exports } = JSON.parse(read(`libs/${library}/package.json`)) as {
      name: string;
      exports: object;
    };
    const entries = Object.keys(exports)
      .filter((entry) => entry !== './package.json')
      .map((entry) => name + entry.slice(1));
    const page = read(`libs/${library}/README.md`);
    expect(entries.filter((entry) => !page.includes(`\`${entry}\``))).toEqual([]);
  });

  it('is every client library that the package takes as a peer', () => {
    const { peerDependencies } = JSON.parse(read('libs/lock/package.json')) as { peerDependencies: object };
    const page = read('libs/lock/README.md');
    // The client of node-redis for one server, which `redis` brings along.
    const peers = Object.keys(peerDependencies).filter((name) => name !== '@redis/client');
    expect(peers.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
    const named = Array.from(
      page.matchAll(/\(peer: ([^)]*)\)/g),
      ([, text]) => text!.match(/`[^`]+`/g) ?? [],
    );
    expect(
      named
        .flat()
        .map((name) => name.slice(1, -1))
        .sort(),
    ).toEqual(peers.sort());
  });

  it('is files, folders and tests that are there', () => {
    const pages = ['README.md', 'README.zh-CN.md', 'CONTRIBUTING.md', 'test/README.md'].concat(
      ['docs', 'libs/lock/src'].flatMap((folder) => filesBelow(folder, '.md')),
    );
    const gone = pages.flatMap((page) =>
      [...codeIn(read(page))]
        .filter((code) => /^(core|runtime|engine|primitives|backends|libs|test|tools)\/[\w./-]+$/.test(code))
        .filter((path) => !isThere(path))
        .map((path) => `${page}: ${path}`),
    );
    expect(gone).toEqual([]);
  });

  it('is every application', () => {
    const page = read('CONTRIBUTING.md');
    expect(readdirSync('apps').filter((app) => !page.includes(`apps/${app}`))).toEqual([]);
  });

  it('is how many histories tried the judge', () => {
    const [, all, bad] =
      /tried on (\d+) histories made by hand, (\d+) of them bad/.exec(read('docs/testing.md')) ?? [];
    expect([Number(all), Number(bad)]).toEqual([GOOD.length + BAD.length, BAD.length]);
  });

  it('is how many backends the short contract is tried on', () => {
    const backends = filesBelow('test/contract', '.short.spec.ts');
    const words = ['six', 'seven', 'eight', 'nine', 'ten'];
    expect(read('docs/testing.md')).toContain(`the short contract on ${words[backends.length - 6]} backends`);
  });

  it('is how many worlds a simulation has', () => {
    const [, worlds] =
      /seeds: \{ type: 'string', default: '(\d+)' \}/.exec(read('test/simulation/command-line.ts')) ?? [];
    const [, told] = /`npm run simulate` \(([\d,]+) worlds/.exec(read('docs/testing.md')) ?? [];
    expect(told?.replace(',', '')).toBe(worlds);
  });

  it('is how long a harness of the contract is', () => {
    const [, file, lines] =
      /`(test\/contract\/[\w/-]+\.ts)` is (\d+) lines/.exec(read('docs/testing.md')) ?? [];
    expect(Number(lines)).toBe(read(file!).trimEnd().split('\n').length);
  });

  it('is the classes of lease lengths of etcd and ZooKeeper', () => {
    const source = read('libs/lock/src/backends/session-queue/lease-class.ts');
    const [, list = ''] = /CLASSES_MS = \[([^\]]+)\]/.exec(source) ?? [];
    const seconds = list.split(',').map((ms) => Number(ms.replaceAll('_', '')) / 1_000);
    const ofEtcd = seconds.filter((length) => length >= 1).join(', ');
    expect(read('docs/backends/etcd.md')).toContain(`(${ofEtcd} s)`);
    const ofZooKeeper = seconds.filter((length) => length < 26).join(', ');
    expect(read('docs/backends/zookeeper.md')).toContain(`(${ofZooKeeper} s, \`maxLeaseMs\`)`);
  });
});

it('snippets import the classes of injected locks as values, which the start checks', () => {
  const root = process.cwd();
  const snippets = pagesOf(root).flatMap((page) => snippetsOf(root, page));
  const injecting = snippets.filter(({ code }) => code.includes('@InjectLock('));
  expect(injecting.length).toBeGreaterThan(4);
  const unchecked = injecting.filter(({ code }) => /import type \{[^}]*\} from 'bedrock-lock'/.test(code));
  expect(unchecked.map(({ file, line }) => `${file}:${line}`)).toEqual([]);
});
