import { readdirSync } from 'node:fs';
import { BACKENDS, pageWithRoundTrips } from '../../../tools/round-trips.mjs';
import { read } from './pages.js';

describe('the page on backends', () => {
  it('shows the round trips that the contract counts: `node tools/round-trips.mjs --update` writes them', async () => {
    expect(read('docs/backends/README.md')).toBe(await pageWithRoundTrips());
  });

  it('shows them of every backend that has a table', () => {
    const tables = readdirSync('test/contract/round-trips/tables').map((file) => file.replace('.json', ''));
    expect(tables.sort()).toEqual(Object.keys(BACKENDS).sort());
  });
});
