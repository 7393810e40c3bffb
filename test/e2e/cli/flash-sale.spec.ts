import { expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { LONG_TIMEOUT, SALE_LEASE } from '../ecosphere/ecosphere-command.js';
import { startBedrock } from './bedrock-command.js';
import { LocksFixture } from './locks-fixture.js';

const locks = new LocksFixture();
const SALE = join(import.meta.dirname, '../../../apps/ecosphere/dist/main.js');

/** A list that was printed: its locks with their holders and queues. */
interface PrintedList {
  readonly locks: readonly {
    resource: string;
    holders: readonly { process?: { pid: number } }[];
    waiters: number;
  }[];
}

it('watches the flash sale: one holder at a time, of several processes, and those that wait', async () => {
  const watching = startBedrock(['watch', '--json', '--interval', '20ms'], {
    environment: locks.environment,
  });
  const args = [SALE, '--backend', 'redis', '--url', locks.server.url, '--processes', '3', '--buyers', '300'];
  const sale = spawn(process.execPath, [...args, '--purchases', '3000', ...SALE_LEASE, ...LONG_TIMEOUT], {
    stdio: 'ignore',
  });
  const [code] = (await once(sale, 'close')) as [number];
  watching.process.kill('SIGINT');
  const { stdout, code: watched } = await watching.ended;
  expect([code, watched]).toEqual([0, 0]);
  const seen = stdout
    .trimEnd()
    .split('\n')
    .flatMap((line) => (JSON.parse(line) as PrintedList).locks);
  const names = new Set(seen.map(({ resource }) => resource));
  expect([...names]).toEqual([expect.stringMatching(/^ecosphere:\w+:flash-sale$/)]);
  expect(Math.max(...seen.map(({ holders }) => holders.length))).toBe(1);
  expect(
    new Set(seen.flatMap(({ holders }) => holders.map(({ process }) => process?.pid))).size,
  ).toBeGreaterThan(1);
  // Each process has one place in the queue, whatever the number of its buyers.
  expect(Math.max(...seen.map(({ waiters }) => waiters))).toBe(2);
}, 60_000);
