import { bedrockOf, closeAll, until } from '../app.js';
import { healthApp } from '../health/health.js';

afterEach(closeAll);

describe('GET /health', () => {
  it('counts holders and waiters of every kind; a kind that no caller holds has no holder', async () => {
    const locks = [
      { name: 'config', kind: 'readWriteLock' },
      { name: 'seats', kind: 'semaphore', permits: 5 },
      { name: 'books', kind: 'leaderElection' },
      { name: 'start', kind: 'countdownLatch' },
      { name: 'slots', kind: 'countingSemaphore' },
      { name: 'permits', kind: 'expirableSemaphore' },
    ] as const;
    const { app, ask } = await healthApp(locks, {});
    const bedrock = bedrockOf(app);
    await bedrock.readWriteLock('config').read.acquire();
    await bedrock.readWriteLock('config').read.acquire();
    await bedrock.semaphore('seats').acquire({ permits: 3 });
    void bedrock.leaderElection('books').run(() => new Promise(() => {}));
    await bedrock.countdownLatch('start').trySetCount(1);
    await bedrock.countingSemaphore('slots').trySetPermits(1);
    await bedrock.countingSemaphore('slots').acquire();
    await bedrock.expirableSemaphore('permits').trySetPermits(1);
    await bedrock.expirableSemaphore('permits').acquire();
    const waiter = bedrock.countdownLatch('start').await();
    await until(() => bedrock.leaderElection('books').isLeader && bedrock.bedrock().stats().waiters === 1);
    expect((await ask()).locks.backends).toEqual({
      default: { status: 'up', latencyMs: 0, holding: 4, waiting: 1 },
    });
    await bedrock.countdownLatch('start').countDown();
    await waiter;
  });
});
