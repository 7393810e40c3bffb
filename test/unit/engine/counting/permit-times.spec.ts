import type { ExpirableSemaphore, Permit } from 'bedrock-lock';
import { Bench } from '../bench.js';

describe('a permit that expires', () => {
  let bench: Bench;
  let pool: ExpirableSemaphore;
  let permit: Permit;

  beforeEach(async () => {
    bench = new Bench();
    pool = bench.bedrock.expirableSemaphore('pool', { leaseMs: 2_000 });
    await pool.trySetPermits(1);
    permit = await pool.acquire();
  });
  afterEach(() => bench.close());

  it('holds until its end less 1 % for the drift of clocks', async () => {
    await bench.clock.advance(1_979);
    expect(permit.isHeld).toBe(true);
    await bench.clock.advance(1);
    expect([permit.isHeld, permit.remainingMs]).toEqual([false, 0]);
  });

  it('ends earlier by what the machine has slept, which its monotonic clock did not count', () => {
    const { validUntil } = permit;
    bench.clock.suspend(1_500);
    expect(permit.isHeld).toBe(true);
    expect(permit.remainingMs).toBeLessThanOrEqual(480);
    expect(permit.validUntil).toBe(validUntil - 1_500);
    bench.clock.suspend(500);
    expect([permit.isHeld, permit.remainingMs]).toEqual([false, 0]);
  });
});

it('ends a wait for a permit soon after the machine woke up, when its time is over', async () => {
  const bench = new Bench();
  const pool = bench.bedrock.expirableSemaphore('pool', { leaseMs: 30_000, waitMs: 10_000 });
  await pool.trySetPermits(1);
  await pool.acquire();
  const waiting = expect(pool.acquire()).rejects.toMatchObject({ code: 'LOCK_WAIT_TIMEOUT' });
  await bench.clock.advance(100);
  bench.clock.suspend(15_000);
  await bench.clock.advance(1_000);
  await waiting;
  await bench.close();
});
