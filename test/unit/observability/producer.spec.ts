import {
  AggregationTemporality,
  DataPointType,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { Bedrock } from 'bedrock-lock';
import { memory } from 'bedrock-lock/memory';
import { instrument, LockMetricProducer } from 'bedrock-lock/opentelemetry';

describe('a producer of metrics for a reader of the SDK', () => {
  it('gives what a meter would: sums, buckets, and values of the moment, of all Bedrocks', async () => {
    const producer = new LockMetricProducer();
    const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
    const reader = new PeriodicExportingMetricReader({ exporter, metricProducers: [producer] });
    const provider = new MeterProvider({ readers: [reader] });
    const bedrocks = [new Bedrock({ backend: memory() }), new Bedrock({ backend: memory() })];
    const stops = bedrocks.map((bedrock) => instrument(bedrock, { meter: producer, tracer: false }));
    for (const bedrock of bedrocks) await bedrock.mutex('orders').run(() => undefined);
    const lease = await bedrocks[0]!.mutex('orders').acquire();
    await provider.forceFlush();
    const metrics = exporter
      .getMetrics()
      .at(-1)!
      .scopeMetrics.flatMap((scope) => scope.metrics);
    const of = (name: string) => metrics.find(({ descriptor }) => descriptor.name === name)!;
    const about = {
      'bedrock.lock.name': 'orders',
      'bedrock.lock.kind': 'mutex',
      'bedrock.lock.mode': 'exclusive',
      'bedrock.backend': 'memory',
    };
    expect(of('bedrock.lock.acquisitions')).toMatchObject({
      dataPointType: DataPointType.SUM,
      aggregationTemporality: AggregationTemporality.CUMULATIVE,
      isMonotonic: true,
      dataPoints: [{ attributes: { ...about, 'bedrock.outcome': 'granted' }, value: 3 }],
    });
    expect(of('bedrock.lock.held')).toMatchObject({
      dataPointType: DataPointType.GAUGE,
      dataPoints: [{ attributes: about, value: 1 }],
    });
    const holds = of('bedrock.lock.hold.duration');
    expect(holds).toMatchObject({ descriptor: { unit: 's' }, dataPointType: DataPointType.HISTOGRAM });
    const { buckets, count } = holds.dataPoints[0]!.value as {
      readonly buckets: { readonly boundaries: readonly number[]; readonly counts: readonly number[] };
      readonly count: number;
    };
    expect(count).toBe(2);
    expect(buckets.counts).toHaveLength(buckets.boundaries.length + 1);
    expect(buckets.counts.reduce((sum, one) => sum + one, 0)).toBe(2);
    await lease.release();
    for (const stop of stops) stop();
    await provider.shutdown();
    for (const bedrock of bedrocks) await bedrock.close();
  });
});
