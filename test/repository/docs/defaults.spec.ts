import { combination } from 'bedrock-lock/combination';
import { etcd } from 'bedrock-lock/etcd';
import { memory } from 'bedrock-lock/memory';
import { mysql, mysqlSessions } from 'bedrock-lock/mysql';
import { postgres, postgresSession } from 'bedrock-lock/postgres';
import { redis } from 'bedrock-lock/redis';
import { zookeeper } from 'bedrock-lock/zookeeper';
import { read, rowsOf } from './pages.js';

const OPTIONS = 'libs/lock/src/core/options';
const BACKENDS = 'libs/lock/src/backends';
/** Each page with the files that set the defaults of its options, and how many of them are literals there. */
const PAGES: readonly (readonly [page: string, count: number, files: readonly string[]])[] = [
  ['primitives/mutex.md', 10, [`${OPTIONS}/options.ts`]],
  ['primitives/idempotency.md', 6, [`${OPTIONS}/idempotency-options.ts`]],
  ['primitives/leader-election.md', 1, [`${OPTIONS}/election-options.ts`]],
  ['primitives/countdown-latch.md', 3, [`${OPTIONS}/wait-options.ts`]],
  ['primitives/expirable-semaphore.md', 4, [`${OPTIONS}/wait-options.ts`]],
  ['backends/combination.md', 9, [`${BACKENDS}/combination/combination-options.ts`]],
  ['nest/README.md', 5, ['registry/lock.registry', 'registry/lock.registry.factory', 'options/lock-interceptor.settings'].map((file) => `libs/nestjs/src/${file}.ts`)],
  ['backends/redis.md', 5, [`${BACKENDS}/redis/configuration/redis-options.ts`]],
  ['backends/memory.md', 1, [`${BACKENDS}/memory/memory-backend.ts`]],
  ['backends/mysql.md', 4, [`${BACKENDS}/sql/sql-options.ts`]],
  ['backends/postgres.md', 5, [`${BACKENDS}/sql/sql-options.ts`, `${BACKENDS}/sql/postgres/postgres-options.ts`]],
  ['backends/etcd.md', 3, [`${BACKENDS}/session-queue/session-queue-options.ts`, `${BACKENDS}/session-queue/etcd/etcd-options.ts`]],
  ['backends/zookeeper.md', 3, [`${BACKENDS}/session-queue/session-queue-options.ts`, `${BACKENDS}/session-queue/zookeeper/zookeeper-options.ts`]],
]; // prettier-ignore

/** Options that are destructured with a literal in place of undefined. */
const WITH_DEFAULT =
  /\b(\w+) = (?:defaults\.\w+ \?\? |Math\.min\()?([\d_]+(?: [*/] [\d_]+)*|true|false|Infinity|'[^']*')(?=,| \})/g;

function defaultsIn(files: readonly string[]): ReadonlyMap<string, string> {
  const found = files.flatMap((file) => Array.from(read(file).matchAll(WITH_DEFAULT)));
  return new Map(found.map(([, option, literal]) => [option!, valueOf(literal!.replaceAll(' ', ''))]));
}

/** `24*3_600_000` and `86,400,000` are the same, and so are `'wait'` and `` `wait` ``. */
function valueOf(text: string): string {
  const bare = text.replaceAll(/[`',_]|(?<=\d) (?=\d)/g, '');
  const factors = bare.split('*').map(Number);
  return factors.length > 1 ? String(factors.reduce((one, other) => one * other)) : bare;
}

/** What the tables of a page say of options, by name. */
function documentedIn(page: string): readonly (readonly [option: string, value: string])[] {
  const text = read(`docs/${page}`);
  const tables = text.split(/\n\n+/).filter((part) => /^\| option +\|/.test(part));
  return tables.flatMap((table) => {
    const [head, , ...rows] = rowsOf(table);
    const at = head!.indexOf('default');
    return rows.flatMap((cells) => {
      const options = Array.from(cells[0]!.matchAll(/`(?:\w+\.)?(\w+)`/g), ([, option]) => option!);
      return options.map((option) => [option, valueOf(cells[at] ?? '')] as const);
    });
  });
}

describe('the documentation of options', () => {
  it.each(PAGES)('%s has the defaults of the code', (page, count, files) => {
    const defaults = defaultsIn(files);
    // A method may name an option again, whose default is then that of the lock.
    const documented = [...new Map(documentedIn(page).toReversed())].filter(
      ([option, value]) => defaults.has(option) && value !== '',
    );
    const wrong = documented.filter(([option, value]) => defaults.get(option) !== value);
    expect(wrong).toEqual([]);
    expect(documented.length).toBe(count);
  });

  it('has the longest lease of every backend', () => {
    const url = 'redis://127.0.0.1';
    const sql = 'db://me@127.0.0.1/app';
    const nodes = ['a', 'b', 'c'].map((host) => redis(`redis://${host}`));
    const longest = {
      'backends/combination.md': combination({ nodes }),
      'backends/redis.md': redis(url),
      'backends/memory.md': memory(),
      'backends/mysql.md': mysql(sql.replace('db', 'mysql')),
      'backends/postgres.md': postgres(sql.replace('db', 'postgres')),
      'backends/etcd.md': etcd('http://127.0.0.1:2379'),
      'backends/zookeeper.md': zookeeper('127.0.0.1:2181'),
    };
    for (const [page, { traits }] of Object.entries(longest)) {
      const [, value] = documentedIn(page).find(([option]) => option === 'maxLeaseMs')!;
      expect([page, value]).toEqual([page, String(traits.maxLeaseMs)]);
    }
    const others = {
      'backends/redis.md': redis({ url, restartGuard: true }),
      'backends/mysql.md': mysqlSessions(sql.replace('db', 'mysql')),
      'backends/postgres.md': postgresSession(sql.replace('db', 'postgres')),
    };
    for (const [page, { traits }] of Object.entries(others)) {
      const [row] = rowsOf(read(`docs/${page}`)).filter(([option]) => option === '`maxLeaseMs`');
      expect(row![2]).toContain(`${traits.maxLeaseMs.toLocaleString('en')} `);
    }
    const { maxLeaseMs } = zookeeper('127.0.0.1:2181').traits;
    const [leaseMs] = rowsOf(read('docs/primitives/mutex.md')).filter(([option]) => option === '`leaseMs` •');
    expect(leaseMs![2]).toContain(`${maxLeaseMs.toLocaleString('en')} on ZooKeeper`);
  });
});
