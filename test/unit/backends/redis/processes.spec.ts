import { RedisFixture } from './fixture.js';

/** Keys of the application, of which a list of processes reads every one. */
const KEYS = 20_000;
/** Of the time that a list may take of one core of the server. */
const MOST = 0.03;

const fixture = new RedisFixture();
beforeAll(() => fixture.start());
afterEach(() => fixture.clean());
afterAll(() => fixture.stop());

async function scanMs(): Promise<number> {
  const [, usec = '0'] =
    /^cmdstat_scan:calls=\d+,usec=(\d+)/m.exec(await fixture.observer.info('commandstats')) ?? [];
  return Number(usec) / 1_000;
}

it('a list of processes leaves the server to the applications', async () => {
  const backend = await fixture.backend({ label: 'till 3' });
  await fixture.observer.mset(...Array.from({ length: KEYS }, (_, i) => [`order:${i}`, 'paid']).flat());
  const before = await scanMs();
  const startedAt = performance.now();
  const found = await backend.admin!.processes();
  const share = ((await scanMs()) - before) / (performance.now() - startedAt);
  expect(found).toMatchObject([{ id: backend.processId, label: 'till 3' }]);
  expect(share).toBeGreaterThan(0);
  expect(share).toBeLessThan(MOST);
}, 30_000);
