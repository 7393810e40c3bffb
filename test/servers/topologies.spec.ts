import {
  redisCommand,
  startCluster,
  startSentinels,
  type RedisCluster,
  type SentinelGroup,
} from 'bedrock-servers';

describe('startCluster', () => {
  let cluster: RedisCluster;
  beforeAll(async () => void (cluster = await startCluster()), 60_000);
  afterAll(() => cluster.stop());

  it('serves every slot, with a replica in step behind each master', async () => {
    const masters = await cluster.masters();
    expect(masters).toHaveLength(3);
    for (const { server } of masters) {
      await expect(redisCommand(server, 'CLUSTER', 'INFO')).resolves.toContain('cluster_state:ok');
      await expect(redisCommand(server, 'INFO', 'replication')).resolves.toContain('state=online');
    }
    const owner = await cluster.masterOf(await cluster.slotOf('key'));
    await expect(redisCommand(owner.server, 'SET', 'key', 'value')).resolves.toBe('OK');
  });

  it('moves a slot with its keys, step by step', async () => {
    const slot = await cluster.slotOf('{moving}');
    const from = await cluster.masterOf(slot);
    const to = (await cluster.masters()).find((node) => node !== from)!;
    await redisCommand(from.server, 'SET', '{moving}1', 'one');
    const move = await cluster.moveSlot(slot, to);
    await expect(redisCommand(from.server, 'GET', '{moving}2')).rejects.toThrow(/^ASK /);
    await expect(move.moveKeys()).resolves.toBe(1);
    await expect(redisCommand(from.server, 'GET', '{moving}1')).rejects.toThrow(/^ASK /);
    await move.finish();
    await expect(redisCommand(to.server, 'GET', '{moving}1')).resolves.toBe('one');
    await expect(redisCommand(from.server, 'GET', '{moving}1')).rejects.toThrow(/^MOVED /);
    await expect(cluster.masterOf(slot)).resolves.toBe(to);
  });

  it('fails over from a dead master to its replica', async () => {
    const slot = await cluster.slotOf('key');
    const dead = await cluster.masterOf(slot);
    dead.server.kill('SIGKILL');
    const next = await cluster.failedOver(slot, dead);
    await expect(redisCommand(next.server, 'GET', 'key')).resolves.toBe('value');
  }, 30_000);
});

describe('startSentinels', () => {
  let group: SentinelGroup;
  beforeAll(async () => void (group = await startSentinels()), 60_000);
  afterAll(() => group.stop());

  it('names a primary with a replica in step', async () => {
    const primary = await group.primary();
    expect(primary).toBe(group.servers[0]);
    await expect(redisCommand(primary, 'SET', 'key', 'value')).resolves.toBe('OK');
    await expect(redisCommand(group.servers[1]!, 'SET', 'key', 'value')).rejects.toThrow(/^READONLY/);
  });

  it('changes the roles while all are alive', async () => {
    const old = await group.primary();
    const next = await group.switchOver();
    expect(next).not.toBe(old);
    await expect(redisCommand(next, 'GET', 'key')).resolves.toBe('value');
  }, 30_000);

  it('fails over from a dead primary', async () => {
    const old = await group.primary();
    old.kill('SIGKILL');
    const next = await group.failedOver(old);
    await expect(redisCommand(next, 'SET', 'key', 'again')).resolves.toBe('OK');
  }, 30_000);
});
