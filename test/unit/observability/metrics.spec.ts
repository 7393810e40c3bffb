import { jest } from '@jest/globals';
import { Bedrock } from 'bedrock-lock';
import { memory } from 'bedrock-lock/memory';
import { instrument } from 'bedrock-lock/opentelemetry';
import { Bench, track } from '../engine/bench.js';
import { Measured } from './collected.js';

describe('metrics', () => {
  let bench: Bench;
  let measured: Measured;
  let stop: () => void;
  beforeEach(() => {
    bench = new Bench();
    measured = new Measured();
    stop = instrument(bench.bedrock, { meter: measured.meter, tracer: false });
  });
  afterEach(async () => {
    stop();
    await bench.close();
    await measured.close();
  });
  const MUTEX = 'r mutex exclusive memory';

  it('count acquisitions by their outcome, and time waits and holds', async () => {
    const first = await bench.lock().acquire();
    const second = bench.lock().acquire();
    await bench.clock.advance(5);
    await first.release();
    await (await second).release();
    const held = await bench.rival.acquire();
    await expect(bench.lock().acquire({ waitMs: 0 })).rejects.toMatchObject({ code: 'LOCK_BUSY' });
    const late = track(bench.lock().acquire({ waitMs: 100 }));
    await bench.clock.advance(200);
    await late.settled;
    await held.release();
    const metrics = await measured.read();
    expect(metrics.get('bedrock.lock.acquisitions')).toEqual(
      new Map([
        [`${MUTEX} granted`, 1],
        [`${MUTEX} handed_over`, 1],
        [`${MUTEX} busy`, 1],
        [`${MUTEX} timeout`, 1],
      ]),
    );
    expect(metrics.get('bedrock.lock.wait.duration')?.get(`${MUTEX} granted`)).toEqual({
      count: 2,
      sum: 0.005,
    });
    expect(metrics.get('bedrock.lock.wait.duration')?.get(`${MUTEX} timeout`)).toMatchObject({ count: 1 });
    expect(metrics.get('bedrock.lock.waited_long')).toEqual(new Map([[MUTEX, 1]]));
    expect(metrics.get('bedrock.lock.hold.duration')).toEqual(
      new Map([[`${MUTEX} released`, { count: 2, sum: 0.005 }]]),
    );
    expect(metrics.get('bedrock.lock.releases')).toEqual(new Map([[`${MUTEX} released`, 2]]));
  });

  it('show at each collection how many leases are held, and how many callers wait', async () => {
    const held = await bench.lock().acquire();
    const waiting = bench.lock().acquire();
    const metrics = await measured.read();
    expect(metrics.get('bedrock.lock.held')).toEqual(new Map([[MUTEX, 1]]));
    expect(metrics.get('bedrock.lock.waiting')).toEqual(new Map([[MUTEX, 1]]));
    await held.release();
    await (await waiting).release();
    const later = await measured.read();
    expect(later.get('bedrock.lock.held')).toEqual(new Map([[MUTEX, 0]]));
    expect(later.get('bedrock.lock.waiting')).toEqual(new Map([[MUTEX, 0]]));
  });

  it('count a lease that was downgraded once, and none that was there before', async () => {
    const shelf = bench.bedrock.readWriteLock('shelf');
    const lease = await shelf.write.acquire();
    await lease.downgrade();
    const own = new Measured();
    const end = instrument(bench.bedrock, { meter: own.meter, tracer: false });
    await lease.release();
    for (const one of [measured, own]) {
      const held = (await one.read()).get('bedrock.lock.held');
      expect(new Set(held?.values())).toEqual(new Set([0]));
    }
    end();
    await own.close();
  });

  it('count renewals with what was left of the lease, and losses with their reason', async () => {
    const lease = await bench.lock().acquire();
    const lost = new Promise((resolve) => lease.signal.addEventListener('abort', resolve));
    await bench.clock.advance(1_000);
    bench.backend.cutOff();
    await bench.clock.advance(5_000);
    await lost;
    const metrics = await measured.read();
    expect(metrics.get('bedrock.lock.renewals')?.get(`${MUTEX} renewed`)).toBe(1);
    expect(metrics.get('bedrock.lock.renewals')?.get(`${MUTEX} failed`)).toBeGreaterThan(0);
    const margin = metrics.get('bedrock.lock.lease.margin')?.get(MUTEX) as { sum: number };
    expect(margin).toMatchObject({ count: 1 });
    expect(margin.sum).toBeGreaterThan(0.5);
    expect(margin.sum).toBeLessThan(0.7);
    expect(metrics.get('bedrock.lock.lost')).toEqual(new Map([[`${MUTEX} expired`, 1]]));
    expect(metrics.get('bedrock.lock.held')).toEqual(new Map([[MUTEX, 0]]));
    expect(metrics.get('bedrock.backend.requests')?.get('memory renew unavailable')).toBeGreaterThan(0);
  });

  it('never name a key: 100,000 of them are one series', async () => {
    const bedrock = new Bedrock({ backend: memory() });
    const own = new Measured();
    const end = instrument(bedrock, { meter: own.meter, tracer: false });
    const lock = bedrock.mutex('orders');
    for (let key = 0; key < 100_000; key += 1) await lock.for(key).run(() => undefined);
    const metrics = await own.read();
    expect(metrics.get('bedrock.lock.acquisitions')).toEqual(
      new Map([['orders mutex exclusive memory granted', 100_000]]),
    );
    for (const series of metrics.values()) expect(series.size).toBeLessThanOrEqual(2);
    end();
    await bedrock.close();
    await own.close();
  }, 60_000);

  it('tell 200 names apart, and call the others "other" with one warning', async () => {
    const warned = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    const bedrock = new Bedrock({ backend: memory() });
    const own = new Measured();
    const end = instrument(bedrock, { meter: own.meter, tracer: false });
    for (let id = 0; id < 100_000; id += 1) await bedrock.mutex(`order-${id}`).run(() => undefined);
    const granted = (await own.read()).get('bedrock.lock.acquisitions')!;
    const warnings = warned.mock.calls.filter(([, options]) =>
      JSON.stringify(options).includes('METRIC_NAMES'),
    );
    warned.mockRestore();
    expect(granted.size).toBe(201);
    expect(granted.get('other mutex exclusive memory granted')).toBe(99_800);
    expect(warnings).toHaveLength(1);
    end();
    await bedrock.close();
    await own.close();
  }, 60_000);

  it('count requests under an idempotency key by their outcome', async () => {
    const payments = bench.bedrock.idempotency('payments');
    await payments.run({ key: 'a' }, () => 1);
    await payments.run({ key: 'a' }, () => 2);
    await expect(payments.run({ key: 'a', payload: 'other' }, () => 3)).rejects.toMatchObject({
      code: 'IDEMPOTENCY_MISMATCH',
    });
    const metrics = await measured.read();
    const about = 'payments idempotency memory';
    expect(metrics.get('bedrock.idempotency.requests')).toEqual(
      new Map([
        [`${about} run`, 1],
        [`${about} replayed`, 1],
        [`${about} mismatch`, 1],
      ]),
    );
    expect(metrics.get('bedrock.idempotency.run.duration')?.get(`${about} completed`)).toMatchObject({
      count: 1,
    });
  });

  it('end when they are told to, and keep what was counted', async () => {
    await bench.lock().run(() => undefined);
    stop();
    await bench.lock().run(() => undefined);
    const metrics = await measured.read();
    expect(metrics.get('bedrock.lock.acquisitions')).toEqual(new Map([[`${MUTEX} granted`, 1]]));
    expect(metrics.get('bedrock.lock.held')).toBeUndefined();
    expect(() => stop()).not.toThrow();
  });

  it('of two Bedrocks on one meter are summed', async () => {
    const other = new Bedrock({ backend: memory() });
    const end = instrument(other, { meter: measured.meter, tracer: false });
    await bench.lock().run(() => undefined);
    await other.mutex('r').run(() => undefined);
    const leases = [await bench.lock().acquire(), await other.mutex('r').acquire()];
    const both = await measured.read();
    expect(both.get('bedrock.lock.acquisitions')).toEqual(new Map([[`${MUTEX} granted`, 4]]));
    expect(both.get('bedrock.lock.held')).toEqual(new Map([[MUTEX, 2]]));
    stop();
    expect((await measured.read()).get('bedrock.lock.held')).toEqual(new Map([[MUTEX, 1]]));
    end();
    for (const lease of leases) await lease.release();
    await other.close();
  });

  it('refuse options that do not exist, by name', () => {
    expect(() => instrument(bench.bedrock, { maxNames: 0 })).toThrow(
      expect.objectContaining({ field: 'maxNames' }) as Error,
    );
    for (const [field, value] of [
      ['meter', {}],
      ['meter', null],
      ['tracer', 5],
    ] as const)
      // prettier-ignore
      expect(() => instrument(bench.bedrock, { [field]: value })).toThrow(
        expect.objectContaining({ field }) as Error,
      );
    expect(() => instrument(bench.bedrock, { metre: 1 } as object)).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTION' }) as Error,
    );
  });
});
