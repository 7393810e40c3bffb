import { ManualClock } from 'bedrock-testkit';
import type { ProcessView } from '../../../../libs/lock/src/core/claim.js';
import {
  ProcessDirectory,
  type ProcessEntries,
} from '../../../../libs/lock/src/backends/kit/process-directory.js';

const OWN: ProcessView = { host: 'here', pid: 1, label: 'shop' };
const OTHER: ProcessView = { host: 'there', pid: 2 };

/** Entries in a map, which counts what it is asked for. */
class CountedEntries implements ProcessEntries {
  readonly views = new Map<string, ProcessView>();
  readonly reads: (readonly string[])[] = [];
  writes = 0;
  removals = 0;
  isDown = false;

  async write(): Promise<void> {
    this.writes += 1;
    this.#assertUp();
  }

  async remove(): Promise<void> {
    this.removals += 1;
  }

  async read(ids: readonly string[]) {
    this.reads.push(ids);
    this.#assertUp();
    return ids.map((id) => [id, this.views.get(id)] as const);
  }

  #assertUp(): void {
    if (this.isDown) throw new Error('down');
  }
}

let clock: ManualClock;
let entries: CountedEntries;
let directory: ProcessDirectory;

beforeEach(() => {
  clock = new ManualClock({ now: 1_000 });
  entries = new CountedEntries();
  directory = new ProcessDirectory('own', OWN, entries, clock);
});

/** What was asked for is answered. */
const settled = () => clock.advance(0);

describe('the own entry', () => {
  it('is written at the first call, and anew when it is 20 s old', async () => {
    for (let i = 0; i < 5; i += 1) directory.refresh();
    expect(entries.writes).toBe(1);
    await clock.advance(19_999);
    directory.refresh();
    expect(entries.writes).toBe(1);
    await clock.advance(1);
    directory.refresh();
    expect(entries.writes).toBe(2);
  });

  it('is not written again at once when a connection has just written it, by its own way', async () => {
    const opening = new CountedEntries();
    await directory.write(opening);
    directory.refresh();
    expect([opening.writes, entries.writes]).toEqual([1, 0]);
  });

  it('disturbs no caller when it cannot be written', async () => {
    entries.isDown = true;
    directory.refresh();
    await settled();
    expect(entries.writes).toBe(1);
  });

  it('is removed only if it was written', async () => {
    await directory.remove();
    expect(entries.removals).toBe(0);
    directory.refresh();
    await directory.remove();
    expect(entries.removals).toBe(1);
  });
});

describe('another process', () => {
  it('is known without a question if it is this one', async () => {
    expect(directory.cached('own')).toBe(OWN);
    expect((await directory.find(['own'])).get('own')).toBe(OWN);
    expect(entries.reads).toEqual([]);
  });

  it('is looked up on the side, for the next call', async () => {
    entries.views.set('other', OTHER);
    expect(directory.cached('other')).toBeUndefined();
    await settled();
    expect(directory.cached('other')).toEqual(OTHER);
    expect(entries.reads).toEqual([['other']]);
  });

  it('is looked up again after 10 s if it has no entry, and once meanwhile', async () => {
    for (let i = 0; i < 5; i += 1) directory.cached('other');
    await clock.advance(9_999);
    directory.cached('other');
    expect(entries.reads).toHaveLength(1);
    await clock.advance(1);
    directory.cached('other');
    expect(entries.reads).toHaveLength(2);
  });

  it('is looked up with others in one question, each once, and not again', async () => {
    entries.views.set('other', OTHER);
    const views = await directory.find(['other', 'own', 'other', 'third']);
    expect(Object.fromEntries(views)).toEqual({ other: OTHER, own: OWN, third: undefined });
    expect(entries.reads).toEqual([['other', 'third']]);
    await directory.find(['other']);
    expect(entries.reads).toHaveLength(1);
  });

  it('is unknown while the server does not answer, and disturbs no caller of cached()', async () => {
    entries.isDown = true;
    expect(directory.cached('other')).toBeUndefined();
    await settled();
    await expect(directory.find(['other'])).rejects.toThrow('down');
  });

  it('makes room: of many processes the last 256 are remembered', async () => {
    const ids = Array.from({ length: 257 }, (_, n) => `p${n}`);
    for (const id of ids) entries.views.set(id, OTHER);
    expect([...(await directory.find(ids)).values()]).toEqual(ids.map(() => OTHER));
    expect(directory.cached('p1')).toEqual(OTHER);
    expect(directory.cached('p0')).toBeUndefined();
  });
});
