import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startCluster, startRedis, type RedisCluster } from 'bedrock-servers';
import { Redis } from 'ioredis';
import { startCombination, type CombinationTarget } from '../engine-targets.js';
import { Findings, USUAL } from './findings.js';

describe('bedrock doctor on a Redis Cluster', () => {
  let cluster: RedisCluster;

  beforeAll(async () => {
    cluster = await startCluster({ replicas: 0, args: ['--appendonly', 'yes', '--appendfsync', 'always'] });
  }, 60_000);
  afterAll(() => cluster?.stop());

  it('looks at every master, and at the slots', async () => {
    const hosts = cluster.nodes.map(({ server }) => `${server.host}:${server.port}`);
    const found = await Findings.of(['--url', `redis://${hosts[0]},${hosts[1]}`]);
    expect([found.code, found.problems]).toEqual([0, []]);
    expect(found.passed('slots')).toEqual(['every slot has a master']);
    expect(found.notes).toEqual([expect.stringMatching(/^slots: no replica takes over from 127/)]);
    expect(new Set(found.lines.map(({ subject }) => subject))).toEqual(
      new Set(['cluster', ...hosts, 'redis']),
    );
    await cluster.nodes[2]!.server.stop();
    const without = await Findings.of(['--url', `redis://${hosts[0]},${hosts[1]}`, ...USUAL]);
    expect(without.lines).toContainEqual(
      expect.objectContaining({ subject: hosts[2], check: 'reachable', state: 'problem' }),
    );
    expect(without.code).toBe(1);
  }, 60_000);

  it('says so where there is no cluster', async () => {
    const single = await startRedis();
    try {
      const url = `redis://127.0.0.1:${single.port},127.0.0.1:${single.port}`;
      const { code, problems } = await Findings.of(['--url', url, ...USUAL]);
      expect(code).toBe(1);
      expect(problems[0]).toMatch(/^slots: CLUSTER SLOTS is refused: this is no cluster/);
    } finally {
      await single.stop();
    }
  });
});

describe('bedrock doctor on a combination', () => {
  let target: CombinationTarget;

  beforeAll(async () => {
    target = await startCombination();
  }, 60_000);
  afterAll(() => target?.stop());

  it('looks at every node, and compares the longest lease', async () => {
    const { servers, file } = target;
    const found = await Findings.of(['--combination', file]);
    expect(found.problems).toEqual([]);
    expect(found.notes[0]).toBe('members: several nodes are on 127.0.0.1: they fail together');
    expect(found.passed('persistence')).toHaveLength(3);
    const client = new Redis(servers[1]!.url);
    await client.set('bedrock_guard_lease', 7_000, 'PX', 60_000);
    client.disconnect();
    expect((await Findings.of(['--combination', file])).lines).toContainEqual(
      expect.objectContaining({
        subject: `node-2 (127.0.0.1:${servers[1]!.port})`,
        state: 'problem',
        text: 'maxLeaseMs is 30000 here, and 7000 in the running processes: it must be the same in all',
      }),
    );
    await servers[0]!.stop();
    // The default for a node.
    const without = await Findings.of(['--combination', file, '--operation-timeout', '50ms']);
    expect(without.code).toBe(1);
    expect(without.lines).toContainEqual(
      expect.objectContaining({ subject: 'node-1', check: 'reachable', state: 'problem' }),
    );
  }, 60_000);
});
