import { READER } from 'bedrock-lock/backend';
import { types } from 'pg';
import { granted } from 'bedrock-testkit';
import { PostgresFixture } from './fixture.js';

const fixture = new PostgresFixture();

beforeAll(() => fixture.start());
afterEach(() => fixture.clean());
afterAll(() => fixture.stop());

describe('session locks', () => {
  it('are listed by their numbers, with the sessions that have them, beside those of other programs', async () => {
    const [one, other, reader] = [await fixture.session(), await fixture.session(), await fixture.session()];
    const program = await fixture.observer.connect();
    // As many applications do.
    types.setTypeParser(types.builtins.INT8, Number);
    try {
      const claim = await granted(one, 'listed');
      await granted(one, 'read', { shape: READER });
      await granted(other, 'read', { shape: READER });
      // Bedrock has no names of two numbers.
      await program.query('SELECT pg_advisory_lock(-77), pg_advisory_lock(3, 4)');
      const admin = reader.admin!;
      const { resources, cursor } = await admin.list({ prefix: '', limit: 1_000 });
      expect(cursor).toBeUndefined();
      const modes = resources.map(({ holders }) => holders.map(({ mode }) => mode));
      expect(modes.sort()).toEqual([['exclusive'], ['exclusive'], ['shared', 'shared']]);
      for (const { resource, holders } of resources)
        expect(await admin.find(resource)).toMatchObject([
          { resource, holders: [{ id: holders[0]!.id }, ...holders.slice(1)] },
        ]);

      const [found] = await admin.find('listed');
      expect(found!.holders).toEqual([
        expect.objectContaining({ resource: 'listed', mode: 'exclusive', remainingMs: Infinity, depth: 1 }),
      ]);
      const inList = resources.filter(({ holders }) =>
        holders.some(({ id }) => id === found!.holders[0]!.id),
      );
      expect(inList.map(({ resource }) => resource)).toHaveLength(2);
      expect(await one.admin!.find('listed')).toMatchObject([{ holders: [{ id: claim.id, depth: 1 }] }]);
      // By its number too, with each of its digits.
      expect(await admin.find('advisory:-77')).toEqual(
        (await admin.list({ prefix: 'advisory:-77', limit: 1 })).resources,
      );
      for (const text of ['advisory:78', 'advisory:9999999999999999999', 'advisory:', 'free'])
        expect(await admin.find(text)).toEqual([]);

      const pages = [await admin.list({ prefix: 'advisory:', limit: 2 })];
      pages.push(await admin.list({ prefix: 'advisory:', limit: 2, cursor: pages[0]!.cursor! }));
      expect(pages.map((page) => page.resources.length)).toEqual([2, 1]);
      expect(pages[1]!.cursor).toBeUndefined();
      expect(await admin.processes()).toEqual([]);
      await expect(admin.list({ prefix: '', limit: 0 })).rejects.toMatchObject({ field: 'limit' });
    } finally {
      types.setTypeParser(types.builtins.INT8, String);
      program.release(true);
    }
  });
});
