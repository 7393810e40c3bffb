import { multiLock } from 'bedrock-lock';
import { track } from '../../engine/bench.js';
import { MultiBench } from './multi-bench.js';

let bench: MultiBench;
beforeEach(() => (bench = new MultiBench()));
afterEach(() => bench.close());

describe('the lease of a multi-lock', () => {
  it('is as good as the worst of its leases', async () => {
    const [a, b] = [
      bench.bedrock.mutex('a', { leaseMs: 2_000, renew: false }),
      bench.bedrock.mutex('b', { leaseMs: 4_000 }),
    ];
    const lease = await multiLock([a, b]).acquire();
    expect(lease.validUntil).toBe(lease.leaseOf(a).validUntil);
    expect(lease.remainingMs).toBe(lease.leaseOf(a).remainingMs);
    expect(lease.isHeld).toBe(true);
    await bench.clock.advance(2_000);
    expect([lease.isHeld, lease.isLost, lease.remainingMs, lease.leaseOf(b).isHeld]).toEqual([
      false,
      true,
      0,
      true,
    ]);
    expect(() => lease.assertHeld()).toThrow(
      expect.objectContaining({ code: 'LOCK_LOST', resource: 'a' }) as Error,
    );
    expect(lease.signal.aborted).toBe(true);
    expect(await lease.release()).toBe('lost');
  });

  it('has a token for each resource', async () => {
    const lease = await bench.multi('ab').acquire();
    const [a, b] = bench.locks('ab');
    expect([...lease.tokens.keys()]).toEqual(['r:a', 'r:b']);
    expect(lease.tokens.get('r:b')).toBe(lease.leaseOf(b!).token);
    expect(lease.leaseOf(a!).token).toBeGreaterThan(0);
    expect(() => lease.leaseOf(bench.lock())).toThrow(/one of the locks/);
  });

  it('extends all of them', async () => {
    const lease = await bench.multi('ab').acquire({ leaseMs: 1_000, renew: false });
    await bench.clock.advance(500);
    await lease.extend();
    expect(lease.remainingMs).toBe(990);
    await bench.rival.for('a').revoke();
    await bench.clock.advance(100);
    await expect(lease.extend(2_000)).rejects.toMatchObject({ code: 'LOCK_REVOKED', resource: 'r:a' });
    expect(lease.leaseOf(bench.locks('b')[0]!).remainingMs).toBe(1_980);
  });

  it('is given back in reverse order, once', async () => {
    const lease = await bench.multi('abc').acquire();
    const released = lease.release();
    expect(await Promise.all([released, lease.release()])).toEqual(['released', 'released']);
    expect(bench.backend.callsOf('withdraw').map(({ input }) => input.ref.resource)).toEqual([
      'r:c',
      'r:b',
      'r:a',
    ]);
    expect(() => lease.assertHeld()).toThrow(/not held/);
  });

  it('says unconfirmed when one release was not confirmed', async () => {
    const lease = await bench.multi('abc').acquire();
    bench.backend.plan('withdraw', { kind: 'loseReply' });
    const released = track(lease.release());
    await bench.clock.advance(100);
    expect(released.value).toBe('unconfirmed');
  });

  it('leaves no listener on the signal of an outer hold', async () => {
    const [a] = bench.locks('a');
    await a!.run(async ({ signal }) => {
      const added: string[] = [];
      const remove = signal.removeEventListener.bind(signal);
      signal.removeEventListener = (type: string, ...rest: [never]) => (added.pop(), remove(type, ...rest));
      const add = signal.addEventListener.bind(signal);
      signal.addEventListener = (type: string, ...rest: [never]) => (added.push(type), add(type, ...rest));
      await bench.multi('ab').run((lease) => expect(lease.signal.aborted).toBe(false));
      expect(added).toEqual([]);
    });
  });
});
