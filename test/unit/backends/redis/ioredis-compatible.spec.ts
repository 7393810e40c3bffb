import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Bedrock } from 'bedrock-lock';
import { redis } from 'bedrock-lock/redis';
import { startRedis, type RunningServer } from 'bedrock-servers';
import { liveness } from 'bedrock-testkit';
import { Redis as Redis5 } from 'ioredis-5';
import { Redis as IoValkey } from 'iovalkey';

/** Version 6 of ioredis is what all other tests run on. */
const CLIENTS = [
  ['ioredis 5', Redis5],
  ['iovalkey', IoValkey as unknown as typeof Redis5],
] as const;

describe.each(CLIENTS)('a client of %s', (_name, Client) => {
  let server: RunningServer;
  const open: Bedrock[] = [];
  beforeAll(async () => {
    server = await startRedis();
  });
  afterEach(async () => {
    await Promise.all(open.splice(0).map((bedrock) => bedrock.close({ graceMs: 0 })));
  });
  afterAll(() => server.stop());

  const bedrockOf = (client: Redis5): Bedrock => {
    const bedrock = new Bedrock({ backend: redis({ client, operationTimeoutMs: 500 }) });
    open.push(bedrock);
    return bedrock;
  };

  it('locks, wakes the next process and renews, and is never changed itself', async () => {
    const client = new Client(server.url, { keyPrefix: 'app:' });
    const before = JSON.stringify(client.options);
    const [one, other] = [bedrockOf(client), bedrockOf(client)];
    const held = await one.mutex('job', { leaseMs: 1_500 }).acquire();
    const waiting = other.mutex('job', { leaseMs: 1_500 }).acquire();
    await new Promise((resolve) => one.on('lease.renewed', resolve));
    const next = await liveness.within('a hand-over', 300, async () => {
      expect(await held.release()).toBe('released');
      return waiting;
    });
    expect(next.token).toBeGreaterThan(held.token);
    await next.release();
    expect(JSON.stringify(client.options)).toBe(before);
    expect(client.status).toBe('ready');
    expect(await client.get('job')).toBeNull();
    client.disconnect();
  });

  it('comes back after its connections were killed', async () => {
    const client = new Client(server.url);
    const bedrock = bedrockOf(client);
    const lock = bedrock.mutex('job', { waitMs: 3_000 });
    await lock.run(() => undefined);
    const watched = new Promise((resolve) => client.once('close', resolve));
    await client.call('client', 'kill', 'type', 'normal', 'skipme', 'no').catch(() => undefined);
    await watched;
    expect(await lock.run(() => 'again')).toBe('again');
    client.disconnect();
  });
});

it('a client of iovalkey may be given as it is, and a server as valkey://', async () => {
  const server = await startRedis();
  const client = new IoValkey(server.url);
  const url = server.url.replace('redis:', 'valkey:');
  const [one, other] = [redis({ client }), redis({ url })].map((backend) => new Bedrock({ backend })) as [
    Bedrock,
    Bedrock,
  ];
  const held = await one.mutex('job').acquire();
  expect(await other.mutex('job').tryAcquire()).toBeNull();
  await held.release();
  expect(await other.mutex('job').run(() => 'ran')).toBe('ran');
  await Promise.all([one.close(), other.close()]);
  client.disconnect();
  await server.stop();
});
