import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { prometheus } from 'nestjs-bedrock/telemetry';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Registry } from 'prom-client';
import type { SaleSeries } from './sale-metrics.js';

/** The metrics of one process, and the page from which Prometheus scrapes them. */
@Injectable()
export class Metrics implements OnApplicationShutdown {
  readonly #register = new Registry();
  /** For the module of the locks. */
  readonly telemetry = prometheus({ register: this.#register });
  readonly #page = createServer((_request, response) => void this.#answer(response));

  /** Serves the page on 127.0.0.1; gives back its URL. @param port 0 for any free one */
  async serve(port: number): Promise<string> {
    this.#page.listen(port, '127.0.0.1');
    await once(this.#page, 'listening').catch((error: NodeJS.ErrnoException) => {
      const where = `127.0.0.1:${port}`;
      throw new Error(`metrics cannot be served on ${where} (${error.code}): give another --metrics-port`);
    });
    return `http://127.0.0.1:${(this.#page.address() as AddressInfo).port}/metrics`;
  }

  /** All series of now. */
  async read(): Promise<readonly SaleSeries[]> {
    const metrics = await this.#register.getMetricsAsJSON();
    return metrics.flatMap(({ name, values }) =>
      values.map(({ labels, value, metricName = name }: NamedValue) => ({
        name: metricName,
        labels: Object.fromEntries(Object.entries(labels).map(([label, text]) => [label, String(text)])),
        value,
      })),
    );
  }

  onApplicationShutdown(): void {
    this.#page.close();
    this.#page.closeAllConnections();
  }

  async #answer(response: ServerResponse): Promise<void> {
    try {
      const text = await this.#register.metrics();
      response.setHeader('content-type', this.#register.contentType).end(text);
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  }
}

/** A value of prom-client; those of a histogram have names of their own. */
interface NamedValue {
  readonly labels: Readonly<Record<string, string | number | undefined>>;
  readonly value: number;
  readonly metricName?: string;
}
