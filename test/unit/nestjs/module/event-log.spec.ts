import { jest } from '@jest/globals';
import { Injectable, Logger, type LoggerService } from '@nestjs/common';
import { Bedrock, type LeaderTerm } from 'bedrock-lock';
import { memory, MemoryStore } from 'bedrock-lock/memory';
import { FaultyBackend, ManualClock } from 'bedrock-testkit';
import { OnLeader } from 'nestjs-bedrock';
import { bedrockOf, closeAll, locksOf, start, until } from '../app.js';

afterEach(async () => {
  await closeAll();
  jest.restoreAllMocks();
});

/** Keeps what it is called with, level first. */
class KeptLines implements LoggerService {
  readonly lines: unknown[][] = [];

  get texts(): readonly unknown[] {
    return this.lines.map(([level, text]) => `${String(level)}: ${String(text)}`);
  }

  log(...line: unknown[]): void {
    this.lines.push(['log', ...line]);
  }

  warn(...line: unknown[]): void {
    this.lines.push(['warn', ...line]);
  }

  error(...line: unknown[]): void {
    this.lines.push(['error', ...line]);
  }
}

async function shop(given: { readonly logger?: LoggerService | false } = {}) {
  const clock = new ManualClock();
  const backend = new FaultyBackend(memory({ clock }), { clock });
  const kept = new KeptLines();
  const options = {
    backends: { stock: () => backend },
    clock,
    defaults: { failFast: true },
    logger: kept,
    ...given,
  };
  const app = await start({ imports: [locksOf([{ name: 'orders', backend: 'stock' }], options)] });
  return { app, clock, backend, kept, lock: bedrockOf(app).lock('orders') };
}

/** Has callers refused for a minute, every 10 s. */
async function outage({ clock, backend, lock }: Awaited<ReturnType<typeof shop>>): Promise<void> {
  backend.plan('claim', { kind: 'refuse' }, Infinity);
  for (let call = 0; call < 6; call += 1) {
    await expect(lock.acquire()).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE' });
    await clock.advance(10_000);
  }
}

describe('the lines about events of locks', () => {
  it('tell which lock was lost, when and why, with fields and the context of the module', async () => {
    const { clock, kept, lock } = await shop();
    await lock.for('o-1').acquire({ leaseMs: 1_000, renew: false });
    await clock.advance(1_000);
    expect(kept.lines).toEqual([
      [
        'warn',
        expect.stringMatching(/^lock "orders:o-1" was lost after \d+ ms: expired$/),
        expect.objectContaining({
          event: 'lease.lost',
          backendName: 'stock',
          backend: 'memory',
          lock: 'orders',
          kind: 'mutex',
          resource: 'orders:o-1',
          reason: 'expired',
        }),
        'BedrockLockModule',
      ],
    ]);
  });

  it('leave out the locks that a closing application takes from its holders', async () => {
    const { app, kept, lock } = await shop();
    const lease = await lock.acquire();
    await app.close();
    expect([lease.isLost, kept.lines]).toEqual([true, []]);
  });

  it('tell of a revoked lock once', async () => {
    const { kept, lock } = await shop();
    const lease = await lock.acquire();
    await lock.revoke();
    for (let turn = 0; turn < 2; turn += 1)
      await expect(lease.extend()).rejects.toMatchObject({ code: 'LOCK_REVOKED' });
    expect(kept.texts).toEqual([
      expect.stringMatching(/^warn: lock "orders" was revoked: its lease ends in \d+ ms$/),
    ]);
    await lease.release();
  });

  it('tell of an outage once a minute, and of its end', async () => {
    const scene = await shop();
    const { clock, backend, kept, lock } = scene;
    await outage(scene);
    const unavailable = expect.stringMatching(
      /^error: backend "stock": memory is unavailable: .*\. Logged once a minute$/,
    ) as unknown;
    expect(kept.texts).toEqual([unavailable]);
    expect(kept.lines[0]![2]).toMatchObject({
      event: 'backend.unavailable',
      backendName: 'stock',
      error: expect.stringContaining('memory is unavailable') as unknown,
    });
    await expect(lock.acquire()).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE' });
    expect(kept.texts).toEqual([unavailable, unavailable]);
    await clock.advance(5_000);
    backend.heal();
    await (await lock.acquire()).release();
    await clock.settle();
    expect(kept.texts).toEqual([
      unavailable,
      unavailable,
      'log: backend "stock" (memory) answers again after 65000 ms',
    ]);
  });

  it('tell of no end of an outage while only other requests are answered', async () => {
    const scene = await shop();
    const { clock, kept, lock } = scene;
    const held = await lock.for('held').acquire();
    await outage(scene);
    expect(kept.texts).toHaveLength(1);
    await held.release();
    await clock.settle();
    expect(kept.texts).toHaveLength(1);
  });

  it('tell of a blocked event loop once a minute', async () => {
    const { clock, kept, lock } = await shop();
    const stall = async (): Promise<void> => {
      clock.block(5_000);
      await clock.advance(1);
    };
    const lease = await lock.acquire();
    await stall();
    await stall();
    const blocked = expect.stringMatching(
      /^warn: the event loop was blocked: a timer fired \d{4} ms late, with 1 lock of backend "stock" held\./,
    ) as unknown;
    expect(kept.texts).toEqual([blocked]);
    await clock.advance(60_000);
    await stall();
    expect(kept.texts).toEqual([blocked, blocked]);
    await lease.release();
  });

  it('go nowhere with logger: false', async () => {
    const scene = await shop({ logger: false });
    const spies = (['log', 'warn', 'error'] as const).map((level) =>
      jest.spyOn(Logger.prototype, level).mockImplementation(() => undefined),
    );
    await outage(scene);
    scene.backend.heal();
    await scene.lock.acquire({ leaseMs: 1_000, renew: false });
    await scene.clock.advance(1_000);
    for (const spy of spies) expect(spy).not.toHaveBeenCalled();
  });
});

describe('the lines about a leader', () => {
  const BOOKS = { name: 'books', kind: 'leaderElection', restMs: 0 } as const;

  @Injectable()
  class Books {
    body = async (): Promise<void> => {};

    @OnLeader('books')
    async lead({ signal }: LeaderTerm): Promise<void> {
      if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve));
      await this.body();
    }
  }

  it('tell when this process leads, resigns, loses its term or fails after it', async () => {
    const store = new MemoryStore();
    const kept = new KeptLines();
    const options = { backend: () => memory({ store }), logger: kept };
    const app = await start({ imports: [locksOf([BOOKS], options)], providers: [Books] });
    const linesAre = (count: number) => until(() => kept.lines.length === count);
    await linesAre(1);
    bedrockOf(app).leaderElection('books').resign();
    await linesAre(3);
    await using rival = new Bedrock({ backend: memory({ store }) });
    await rival.mutex('books').forceRelease();
    await linesAre(5);
    app.get(Books).body = async () => {
      throw new TypeError('too late');
    };
    bedrockOf(app).leaderElection('books').resign();
    await linesAre(8);
    const leads = 'log: this process leads "books" now';
    const resigned = expect.stringMatching(
      /^log: this process resigned from "books" after \d+ ms$/,
    ) as unknown;
    expect(kept.texts).toEqual([
      leads,
      resigned,
      leads,
      expect.stringMatching(/^warn: leadership of "books" was lost after \d+ ms: taken$/),
      leads,
      resigned,
      'error: Books.lead() failed after its term',
      leads,
    ]);
    const [failed] = kept.lines.filter(([level]) => level === 'error');
    expect(failed!.slice(2)).toEqual([
      expect.objectContaining({ event: 'leader.failed', error: 'too late' }),
      expect.stringContaining('TypeError: too late'),
      'BedrockLockModule',
    ]);
    app.get(Books).body = async () => {};
  });
});
