import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startRedis, type RunningServer } from 'bedrock-servers';
import { Redis } from 'ioredis';
import { ecosphere } from './ecosphere-command.js';

/**
 * A busy machine stops a process or its nodes for longer than the defaults of 500 and 50 ms: then a purchase counts as
 * failed, though it was made.
 */
const LONG_LEASE = ['--lease-ms', '2000', '--operation-timeout-ms', '200'];
const COMBINATION = ['--backend', 'combination', ...LONG_LEASE];
/**
 * With one node killed, another that is late by the time of a request is an outage: it is logged and passes. The request
 * is for the lease or, once that is granted, for the fencing token. So is an attempt in which the process itself stood.
 */
const OUTAGE =
  /backend "default": combination is unavailable: (?:1 of 3 nodes granted, and 2 are needed|[23] of 3 nodes granted, but (?:it took \d+ ms, more than attemptTimeoutMs|the fencing token did not reach enough nodes))/;
const ALL_SOLD = 'flash sale: sold 10000 of 10000, oversold 0, overlaps 0';

describe('the flash sale on a combination', () => {
  it('sells each of 10,000 items once while the left-most of three nodes is killed and comes back', async () => {
    const outcome = await ecosphere([...COMBINATION, '--nodes', '3', '--processes', '2', '--chaos']);
    expect(outcome.stderr.split('\n').filter((line) => line !== '' && !OUTAGE.test(line))).toEqual([]);
    expect(outcome.lastLine).toBe(ALL_SOLD);
    expect(outcome.code).toBe(0);
    expect(outcome.stdout).toContain('locks on 3 redis-servers of this run, stock on another');
    expect(outcome.stdout).toMatch(/node 1 +killed after 2,\d+ purchases +started empty after \d+ ms/);
    expect(outcome.stdout).toContain('✔ 2 of 2 processes noticed the outage of node 1 and kept selling');
    expect(outcome.stdout).toContain('✔ 2 of 2 processes used it again after a quarantine of one lease');
  }, 60_000);

  it('does so on five nodes that are asked one after the other', async () => {
    const rules = ['--nodes', '5', '--contention', 'sequential', '--purchases', '2000', '--buyers', '300'];
    const { code, lastLine, lines, stdout } = await ecosphere([...COMBINATION, ...rules, '--chaos']);
    expect(lines.filter((line) => line.includes('✘'))).toEqual([]);
    expect(lastLine).toBe('flash sale: sold 2000 of 2000, oversold 0, overlaps 0');
    expect(stdout).toContain('locks on 5 redis-servers of this run');
    expect(code).toBe(0);
  }, 60_000);

  it('oversells without the lock: the stock knows nothing of nodes', async () => {
    const { code, stdout } = await ecosphere([...COMBINATION, '--purchases', '2000', '--no-lock']);
    expect(stdout).toContain('✘ oversold');
    expect(code).toBe(1);
  }, 30_000);
});

describe('the scenarios on a combination', () => {
  it.each([
    ['lock-time', ['--rounds', '200'], 'lock time: cycles 210, sound 210'],
    ['contention', ['--rounds', '20'], 'contention: turns 400, lost updates 0, overlaps 0'],
    [
      'lock-delay',
      ['--hold-ms', '4000'],
      expect.stringMatching(/^lock delay: held 4000 ms on leases of 2000 ms, .* lost 0$/),
    ],
  ])(
    'keep the promises of %s',
    async (scenario, args, verdict) => {
      const outcome = await ecosphere([...COMBINATION, '--scenario', scenario, ...args]);
      expect(outcome.lastLine).toEqual(verdict);
      expect(outcome.code).toBe(0);
    },
    40_000,
  );
});

describe('given nodes', () => {
  let servers: RunningServer[];
  beforeAll(async () => {
    servers = await Promise.all([1, 2, 3].map(() => startRedis()));
  });
  afterAll(() => Promise.all(servers.map((server) => server.stop())));

  it('have the locks, and nothing of the run when it is over', async () => {
    const [data, ...nodes] = servers;
    const sale = ['--purchases', '300', '--buyers', '50'];
    const args = [...COMBINATION, ...sale, '--strategy', 'majority'];
    const urls = nodes.flatMap(({ url }) => ['--url', url]);
    const { code, lastLine, stdout } = await ecosphere([...args, ...urls], { REDIS_URL: data!.url });
    expect(stdout).toContain('locks on 2 given nodes, stock on another');
    expect(lastLine).toBe('flash sale: sold 300 of 300, oversold 0, overlaps 0');
    expect(code).toBe(0);
    for (const { url } of servers) {
      const client = new Redis(url);
      expect(await client.keys('*ecosphere*')).toEqual([]);
      // The guard is on the nodes alone.
      expect(await client.exists('bedrock_guard')).toBe(url === data!.url ? 0 : 1);
      client.disconnect();
    }
  }, 30_000);

  it('end the run with exit code 3 when one does not answer, which is named', async () => {
    const urls = `${servers[0]!.url},redis://:secret@127.0.0.1:1`;
    const { code, stderr } = await ecosphere([...COMBINATION, '--url', urls]);
    expect(code).toBe(3);
    expect(stderr).toMatch(/^error: .*Redis at 127\.0\.0\.1:1 does not answer: .+\n$/);
    expect(stderr).not.toContain('secret');
  });
});
