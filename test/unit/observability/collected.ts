import { MeterProvider, MetricReader, type Histogram } from '@opentelemetry/sdk-metrics';

class ManualReader extends MetricReader {
  protected override async onForceFlush(): Promise<void> {}

  protected override async onShutdown(): Promise<void> {}
}

/** A value of a metric: a number, or the count and sum of a histogram. */
export type Point = number | { readonly count: number; readonly sum: number };

/** A meter, and what it has measured. */
export class Measured {
  readonly #reader = new ManualReader();
  readonly #provider = new MeterProvider({ readers: [this.#reader] });
  readonly meter = this.#provider.getMeter('test');

  /** The metrics by name; their values by the values of their attributes, with spaces between. */
  async read(): Promise<Map<string, Map<string, Point>>> {
    const { resourceMetrics } = await this.#reader.collect();
    const metrics = resourceMetrics.scopeMetrics.flatMap((scope) => scope.metrics);
    return new Map(
      metrics.map(({ descriptor, dataPoints }) => [
        descriptor.name,
        new Map(
          dataPoints.map(({ attributes, value }) => [
            Object.values(attributes).join(' '),
            typeof value === 'number' ? value : pointOf(value as Histogram),
          ]),
        ),
      ]),
    );
  }

  async close(): Promise<void> {
    await this.#provider.shutdown();
  }
}

function pointOf({ count, sum = 0 }: Histogram): Point {
  return { count, sum };
}
