import { jest } from '@jest/globals';
import { Bedrock } from 'bedrock-lock';
import { memory } from 'bedrock-lock/memory';
import { collect } from 'bedrock-lock/prometheus';
import { Counter, Gauge, Registry } from 'prom-client';

describe('a registry of prom-client', () => {
  let register: Registry;
  let bedrock: Bedrock;
  beforeEach(() => {
    register = new Registry();
    bedrock = new Bedrock({ backend: memory() });
  });
  afterEach(() => bedrock.close());

  const ABOUT =
    'bedrock_lock_name="orders",bedrock_lock_kind="mutex",bedrock_lock_mode="exclusive",bedrock_backend="memory"';

  it('gets counters, histograms and gauges, under the names of an OpenTelemetry exporter', async () => {
    const stop = collect(bedrock, { register });
    const orders = bedrock.mutex('orders');
    await orders.for(1).run(() => undefined);
    const held = await orders.for(2).acquire();
    const text = await register.metrics();
    expect(text).toContain(`bedrock_lock_acquisitions_total{${ABOUT},bedrock_outcome="granted"} 2\n`);
    expect(text).toContain(`bedrock_lock_held{${ABOUT}} 1\n`);
    expect(text).toContain(
      `bedrock_lock_hold_duration_seconds_count{${ABOUT},bedrock_outcome="released"} 1\n`,
    );
    expect(text).toContain('le="0.0001"');
    expect(text).not.toContain('orders:1');
    await held.release();
    stop();
  });

  it('serves several Bedrocks, and drops the gauges of one that ends', async () => {
    const other = new Bedrock({ backend: memory() });
    const stops = [collect(bedrock, { register }), collect(other, { register })];
    const leases = [await bedrock.mutex('orders').acquire(), await other.mutex('orders').acquire()];
    expect(await register.metrics()).toContain(`bedrock_lock_held{${ABOUT}} 2\n`);
    stops[1]!();
    expect(await register.metrics()).toContain(`bedrock_lock_held{${ABOUT}} 1\n`);
    for (const lease of leases) await lease.release();
    stops[0]!();
    await other.close();
  });

  it('may be reset, and cleared: after a new collection the counts go on', async () => {
    const orders = bedrock.mutex('orders');
    const count = (text: string) => /bedrock_lock_acquisitions_total\{.*\} (\d+)/.exec(text)?.[1];
    let stop = collect(bedrock, { register });
    await orders.run(() => undefined);
    register.resetMetrics();
    await orders.run(() => undefined);
    expect(count(await register.metrics())).toBe('1');
    register.clear();
    expect(await register.metrics()).not.toContain('bedrock_lock');
    stop();
    stop = collect(bedrock, { register });
    await orders.run(() => undefined);
    expect(count(await register.metrics())).toBe('2');
    expect(await register.metrics()).toContain('bedrock_lock_held{');
    stop();
  });

  it('has no other metric of such a name: a gauge is refused, a count that comes later is warned of', async () => {
    const warned = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    new Counter({ name: 'bedrock_lock_releases_total', help: 'of the application', registers: [register] });
    const stop = collect(bedrock, { register });
    for (let i = 0; i < 3; i += 1) await bedrock.mutex('orders').run(() => undefined);
    const refusals = warned.mock.calls.filter(([, options]) =>
      JSON.stringify(options).includes('BEDROCK_METRIC_REFUSED'),
    );
    warned.mockRestore();
    expect(refusals).toHaveLength(1);
    stop();
    const other = new Registry();
    new Gauge({ name: 'bedrock_lock_held', help: 'of the application', registers: [other] });
    expect(() => collect(bedrock, { register: other })).toThrow(
      expect.objectContaining({ field: 'register' }) as Error,
    );
  });

  it('must be one', () => {
    expect(() => collect(bedrock, { register: {} as Registry })).toThrow(
      expect.objectContaining({ field: 'register' }) as Error,
    );
  });
});
