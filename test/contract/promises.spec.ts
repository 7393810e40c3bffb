import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { collectTitles } from '../support/collect-titles.js';

const FOLDER = import.meta.dirname;
const LISTS = join(FOLDER, 'promises');
/** `name  # why it is not tried on this backend` */
const DROPPED = /^(.*?)\s{2}# (.{10,})$/;

/**
 * How many promises each list names, those that left with a reason included. A new promise adds one here. The number of a list
 * never falls: a promise that is no longer tried stays in its list, with the reason behind `  # `. A change that lowers a
 * number takes a promise from the users of that backend, and has to say so in review.
 */
const NAMED: Readonly<Record<string, number>> = {
  combination: 84,
  'etcd-ensemble': 192,
  etcd: 209,
  memory: 263,
  mysql: 229,
  postgres: 229,
  'redis-cluster': 265,
  'redis.ioredis-5': 180,
  'redis.node-redis-5': 180,
  'redis.node-redis-6': 180,
  redis: 265,
  'zookeeper-ensemble': 225,
  zookeeper: 245,
};

/** The promises that the lists name, and those that left with a reason. */
function readList(file: string): { kept: string[]; dropped: string[] } {
  const lines = readFileSync(join(LISTS, file), 'utf8').split('\n').filter(Boolean);
  const dropped = lines.flatMap((line) => DROPPED.exec(line)?.[1] ?? []);
  return { kept: lines.filter((line) => !DROPPED.test(line)).sort(), dropped: dropped.sort() };
}

const grounds = readdirSync(LISTS).map((file) => basename(file, '.txt'));
/** The spec files of the backends, each in the folder of its backend. */
const specs = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((file) =>
  /\w[/\\].*\.spec\.ts$/.test(file),
);

/** What the spec files of a ground register, in the short and the long part together. */
async function tried(ground: string): Promise<string[]> {
  const names = [`${ground}.short.spec.ts`, `${ground}.spec.ts`];
  const files = names.flatMap((name) => specs.filter((file) => basename(file) === name));
  const titles: string[] = [];
  for (const file of files) titles.push(...(await collectTitles(() => import(join(FOLDER, file)))));
  // The first title names the backend.
  return titles.map((title) => title.split(' › ').slice(1).join(' › '));
}

describe('the promises of the contract', () => {
  it('have a list for each ground that they are tried on', () => {
    const found = new Set(specs.map((file) => basename(file).replace(/(\.short)?\.spec\.ts$/, '')));
    expect([...found].sort()).toEqual([...grounds].sort());
  });

  it.each(grounds)('on %s are those of the list, in the short or in the long part', async (ground) => {
    const { kept } = readList(`${ground}.txt`);
    expect((await tried(ground)).sort()).toEqual(kept);
  });

  it.each(grounds)('on %s are named once', (ground) => {
    const { kept, dropped } = readList(`${ground}.txt`);
    const names = [...kept, ...dropped];
    expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
  });

  it('have not become fewer on any ground', () => {
    const named = grounds.map((ground) => {
      const { kept, dropped } = readList(`${ground}.txt`);
      return [ground, kept.length + dropped.length] as const;
    });
    expect(Object.fromEntries(named)).toEqual(NAMED);
  });

  it('are all tried on some ground: none is dropped everywhere', () => {
    const lists = grounds.map((ground) => readList(`${ground}.txt`));
    const kept = new Set(lists.flatMap((list) => list.kept));
    const lost = lists
      .flatMap(({ dropped }) => dropped)
      .filter((name) => !kept.has(name) && !isOfMutex(name, kept));
    expect(lost).toEqual([]);
  });
});

/** A promise of the fair mutex that the mutex makes too. */
function isOfMutex(name: string, kept: ReadonlySet<string>): boolean {
  return kept.has(name.replace(/^fairMutex /, 'mutex '));
}
