import { startPrometheus, startRedis, type PrometheusServer, type RunningServer } from 'bedrock-servers';
import { eventually } from 'bedrock-testkit';
import { once } from 'node:events';
import { LONG_TIMEOUT, SALE_LEASE, startEcosphere } from '../ecosphere/ecosphere-command.js';

const PURCHASES = 12_000;
const PROCESSES = 4;
/** Prometheus must have seen the last values by then. */
const LINGER_S = 12;
/** Waits are measured around the method by the sale, and inside it by the metrics. */
const SLACK = 1.1;
/** The unit of each figure of a report, in s. */
const UNITS: Readonly<Record<string, number>> = { s: 1, ms: 1e-3, µs: 1e-6 };

describe('the flash sale in four processes, scraped by a real Prometheus', () => {
  let redis: RunningServer;
  let prometheus: PrometheusServer;
  let output = '';

  beforeAll(async () => {
    [redis, prometheus] = await Promise.all([startRedis({ shared: true }), startPrometheus({})]);
    const sale = startEcosphere([
      ...['--backend', 'redis', '--url', redis.url, '--processes', String(PROCESSES)],
      ...SALE_LEASE,
      ...LONG_TIMEOUT,
      ...['--buyers', '2000', '--purchases', String(PURCHASES)],
      ...['--telemetry', '--metrics-port', '0', '--linger', String(LINGER_S)],
    ]);
    sale.stdout!.on('data', (text: Buffer) => (output += text.toString()));
    const closed = once(sale, 'close');
    await eventually('the addresses', () => addresses().length === PROCESSES, { withinMs: 30_000 });
    prometheus.scrape(addresses());
    await eventually('the end of the sale', () => output.includes('are served for another'), {
      withinMs: 90_000,
    });
    await eventually(
      'the last scrape',
      async () => (await sum('bedrock_lock_releases_total')) === PURCHASES,
      {
        withinMs: 1_000 * (LINGER_S - 2),
      },
    );
    // Queries that are sent later find the last scrapes, which stay valid for five minutes.
    expect(await closed).toEqual([0, null]);
  }, 180_000);
  afterAll(async () => {
    await prometheus?.stop();
    await redis?.stop();
  });

  const addresses = (): readonly string[] =>
    Array.from(output.matchAll(/metrics: http:\/\/([^/]+)\/metrics/g), ([, address]) => address!);
  /** One value, at the end of the sale. */
  const sum = async (metric: string): Promise<number> =>
    (await prometheus.query(`sum(last_over_time(${metric}[5m]))`))[0]?.value ?? 0;
  const reported = (pattern: RegExp): number => Number(pattern.exec(output)![1]!.replaceAll(',', ''));
  const seconds = (pattern: RegExp): number => {
    const [, number, unit] = pattern.exec(output)!;
    return Number(number) * UNITS[unit!]!;
  };

  it('counts what the report counts, exactly', async () => {
    expect(output).toContain(`flash sale: sold ${PURCHASES} of ${PURCHASES}, oversold 0, overlaps 0`);
    const handedOver = await sum('bedrock_lock_acquisitions_total{bedrock_outcome="handed_over"}');
    const granted = await sum('bedrock_lock_acquisitions_total{bedrock_outcome="granted"}');
    expect([granted + handedOver, handedOver]).toEqual([PURCHASES, reported(/hand-overs +([\d,]+)/)]);
    expect(await sum('bedrock_lock_acquisitions_total')).toBe(PURCHASES);
    expect(await sum('bedrock_lock_releases_total{bedrock_outcome="released"}')).toBe(PURCHASES);
    expect(await sum('bedrock_lock_wait_duration_seconds_count')).toBe(PURCHASES);
    expect(await sum('bedrock_lock_hold_duration_seconds_count')).toBe(PURCHASES);
    expect(await sum('bedrock_lock_lost_total')).toBe(0);
  });

  it('gives the p99 of the waits within its bucket', async () => {
    const buckets = await prometheus.query(
      'sum by (le) (last_over_time(bedrock_lock_wait_duration_seconds_bucket[5m]))',
    );
    const bounds = buckets
      .map(({ labels, value }) => ({ le: Number(labels['le']!.replace('+Inf', 'Infinity')), below: value }))
      .sort((one, other) => one.le - other.le);
    const at = bounds.findIndex(({ below }) => below >= 0.99 * PURCHASES);
    const p99 = seconds(/wait +p50 [\d.]+ \S+ +p99 ([\d.]+) (µs|ms|s)/);
    expect(p99).toBeLessThanOrEqual(bounds[at]!.le * SLACK);
    expect(p99).toBeGreaterThanOrEqual((bounds[at - 1]?.le ?? 0) / SLACK);
  });

  it('shows during the sale how many callers wait, and none afterwards', async () => {
    const [most] = await prometheus.query('max(max_over_time(bedrock_lock_waiting[5m]))');
    expect(most!.value).toBeGreaterThan(10);
    expect([await sum('bedrock_lock_waiting'), await sum('bedrock_lock_held')]).toEqual([0, 0]);
  });

  it('prints the figures that matter', () => {
    expect(output).toMatch(/acquisitions +[\d,]+ from the backend, [\d,]+ handed over +0 refused/);
    expect(output).toMatch(/wait +p99 within \S+ \S+ +[\d,]+ over half of waitMs/);
    expect(output).toMatch(/hold +p99 within/);
    expect(output).toMatch(/leases +0 lost +0 of [\d,]+ renewals failed/);
    expect(output).toMatch(/requests +[\d,]+, p99 within \S+ \S+ +0 unavailable/);
  });
});
