import type { Lease } from 'bedrock-lock';
import { Bench, track } from '../bench.js';

describe('extend()', () => {
  let bench: Bench;
  let lease: Lease;
  beforeEach(async () => {
    bench = new Bench();
    lease = await bench.lock().acquire({ renew: false });
  });
  afterEach(() => bench.close());

  it('ends a fixed lease so much later', async () => {
    await bench.clock.advance(1_000);
    await lease.extend(4_000);
    expect(lease.validUntil).toBe(2_000 + 4_000 - 40);
    await bench.clock.advance(3_900);
    expect(lease.isHeld).toBe(true);
    await bench.clock.advance(100);
    expect(lease.isHeld).toBe(false);
  });

  it('never shortens', async () => {
    await lease.extend(100);
    expect(lease.validUntil).toBe(1_000 + 2_970);
  });

  it('without an answer leaves the end where it was, and says so', async () => {
    bench.backend.plan('renew', { kind: 'loseReply' }).plan('renew', { kind: 'answer', answer: ['unknown'] });
    for (let i = 0; i < 2; i += 1)
      await expect(lease.extend(9_000)).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE' });
    expect(lease.validUntil).toBe(1_000 + 2_970);
  });

  it('learns that the lease is lost', async () => {
    await bench.rival.forceRelease();
    await bench.clock.settle();
    await expect(lease.extend()).rejects.toMatchObject({ code: 'LOCK_LOST', reason: 'taken' });
  });

  it('is refused when the lock was revoked; the lease goes on to its end', async () => {
    await bench.rival.revoke();
    await expect(lease.extend()).rejects.toMatchObject({ code: 'LOCK_REVOKED' });
    expect(lease.isHeld).toBe(true);
    await bench.clock.advance(3_000);
    expect(lease.isHeld).toBe(false);
  });

  it('of a lease that was released meanwhile is an error', async () => {
    bench.backend.plan('renew', { kind: 'delay', replyMs: 50 });
    const extended = track(lease.extend());
    await lease.release();
    await bench.clock.advance(50);
    expect(extended.error).toMatchObject({ code: 'LOCK_NOT_HELD' });
  });
});
