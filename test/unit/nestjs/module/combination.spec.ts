import { Injectable } from '@nestjs/common';
import { startRedis, type RunningServer } from 'bedrock-servers';
import type { Mutex } from 'bedrock-lock';
import { combination } from 'bedrock-lock/combination';
import { memory } from 'bedrock-lock/memory';
import { redis } from 'bedrock-lock/redis';
import { currentLease, DistributedLock, InjectLock } from 'nestjs-bedrock';
import { bedrockOf, closeAll, locksOf, start, startError } from '../app.js';

let servers: RunningServer[];
beforeAll(async () => {
  servers = await Promise.all([1, 2, 3].map(() => startRedis()));
});
afterEach(closeAll);
afterAll(() => Promise.all(servers.map((server) => server.stop())));

/** @param nodeTimeoutMs 500 by default, since applications of one process compete for two busy cores */
const backendsOf = (nodeTimeoutMs = 500) => ({
  default: () => memory(),
  safe: () =>
    combination({
      nodes: servers.map(({ url }) => redis(url)),
      fencing: true,
      coldStart: 'trust',
      nodeTimeoutMs,
    }),
});
const backends = backendsOf();
const locks = ['cart', { name: 'till', backend: 'safe' }];

@Injectable()
class Till {
  static cash = 0;
  static readonly tokens: number[] = [];

  constructor(@InjectLock('till') readonly lock: Mutex) {}

  @DistributedLock({ lock: 'till', key: '{0}' })
  async pay(_till: number): Promise<void> {
    const before = Till.cash;
    Till.tokens.push(currentLease()!.token);
    await new Promise((resolve) => setImmediate(resolve));
    Till.cash = before + 1;
  }

  async count(): Promise<number> {
    return this.lock.for(1).run(() => this.pay(1).then(() => Till.cash));
  }
}

describe('applications on a combination', () => {
  it('share its locks, decorated and injected: no payment is lost, and the tokens grow', async () => {
    const apps = await Promise.all(
      [1, 2].map(() => start({ imports: [locksOf(locks, { backends })], providers: [Till] })),
    );
    await Promise.all(apps.flatMap((app) => Array.from({ length: 40 }, () => app.get(Till).pay(1))));
    expect(Till.cash).toBe(80);
    expect(Till.tokens).toEqual([...new Set(Till.tokens)].sort((one, other) => one - other));
    // Nested, under the injected lock of the same key.
    await expect(apps[0]!.get(Till).count()).resolves.toBe(81);
    expect(apps[0]!.get(Till).lock.for(1).resource).toBe('till:1');
  });

  it('start on enough nodes, and see in the service which are there', async () => {
    servers[1]!.kill('SIGKILL');
    // The start waits for a node that is away for ten of its time-outs.
    const imports = [locksOf(locks, { backends: backendsOf(100) })];
    const app = await start({ imports, providers: [Till] });
    await app.get(Till).pay(2);
    const nodes = bedrockOf(app).bedrock('safe').nodes();
    expect(nodes.filter(({ isAvailable }) => isAvailable)).toHaveLength(2);
    expect(bedrockOf(app).bedrock('default').nodes()).toEqual([]);
    await servers[1]!.restart();
  });

  it('do not start with a kind of lock that a combination cannot count', async () => {
    const pool = { name: 'pool', kind: 'semaphore', permits: 2, backend: 'safe' } as const;
    const error = await startError({ imports: [locksOf([pool], { backends })] });
    expect(error.code).toBe('LOCK_UNSUPPORTED');
    expect(error.message).toContain('combination');
  });
});
