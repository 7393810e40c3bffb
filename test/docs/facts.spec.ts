import { readdirSync, readFileSync } from 'node:fs';
import { BAD } from '../testkit/bad-histories.js';
import { GOOD } from '../testkit/good-histories.js';

const read = (file: string): string => readFileSync(file, 'utf8');
const pagesIn = (folder: string): string[] =>
  readdirSync(folder).filter((name) => name.endsWith('.md') && name !== 'README.md');

/** The public members of a class, as the record of the API has them. */
function membersOf(name: string): readonly string[] {
  const api = read('test/public-api/bedrock-lock.api.txt');
  const [, body = ''] =
    new RegExp(`^\\s*(?:export )?(?:declare )?class ${name}[ <][^{]*\\{([\\s\\S]*?)^\\s{0,4}\\}`, 'm').exec(
      api,
    ) ?? [];
  const members = body.matchAll(/^\s+(?:readonly |get |async )*([a-zA-Z]\w*)\??[(:<]/gm);
  return [...new Set(Array.from(members, ([, member]) => member!))].filter(
    (member) => member !== 'constructor',
  );
}

/** What stands in a page as code. */
function namedIn(page: string): ReadonlySet<string> {
  const code = Array.from(read(page).matchAll(/`([^`\n]+)`/g), ([, text]) => text!);
  return new Set(code.flatMap((text) => text.match(/[a-zA-Z]\w*/g) ?? []));
}

describe('what the documentation lists and counts', () => {
  it('is every page', () => {
    const list = read('docs/README.md');
    const pages = [
      ...pagesIn('docs'),
      ...pagesIn('docs/backends').map((page) => `backends/${page}`),
      'backends/README.md',
    ];
    expect(pages.filter((page) => !list.includes(`](${page})`))).toEqual([]);
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

  it('is every application', () => {
    const page = read('CONTRIBUTING.md');
    expect(readdirSync('apps').filter((app) => !page.includes(`apps/${app}`))).toEqual([]);
  });

  it.each([
    ['Lease', 'docs/mutex.md'],
    ['MultiLease', 'docs/multi-lock.md'],
  ])('is every member of a %s', (name, page) => {
    const members = membersOf(name);
    expect(members.length).toBeGreaterThan(8);
    const named = namedIn(page);
    expect(members.filter((member) => !named.has(member))).toEqual([]);
  });

  it('is how many histories tried the judge', () => {
    const [, all, bad] =
      /tried on (\d+) histories made by hand, (\d+) of them bad/.exec(read('docs/testing.md')) ?? [];
    expect([Number(all), Number(bad)]).toEqual([GOOD.length + BAD.length, BAD.length]);
  });

  it('is how long a harness of the contract is', () => {
    const [, file, lines] =
      /`(test\/contract\/[\w-]+\.ts)` is (\d+) lines/.exec(read('docs/testing.md')) ?? [];
    expect(Number(lines)).toBe(read(file!).trimEnd().split('\n').length);
  });

  it('is the classes of lease lengths of etcd and ZooKeeper', () => {
    const source = read('libs/lock/src/backends/line/session-class.ts');
    const [, list = ''] = /CLASSES_MS = \[([^\]]+)\]/.exec(source) ?? [];
    const seconds = list.split(',').map((ms) => Number(ms.replaceAll('_', '')) / 1_000);
    const ofEtcd = seconds.filter((length) => length >= 1).join(', ');
    expect(read('docs/backends/etcd.md')).toContain(`(${ofEtcd} s)`);
    const ofZooKeeper = seconds.filter((length) => length < 26).join(', ');
    expect(read('docs/backends/zookeeper.md')).toContain(`(${ofZooKeeper} s, \`maxLeaseMs\`)`);
  });
});
