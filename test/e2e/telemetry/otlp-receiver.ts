import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A span as OTLP sends it, with what the tests read. */
export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly events: readonly string[];
  /** Ids of the spans that it links to. */
  readonly links: readonly string[];
  /** 2 for an error. */
  readonly status: { readonly code?: number; readonly message?: string };
}

interface RawSpan extends Omit<ReceivedSpan, 'attributes' | 'events' | 'links'> {
  readonly attributes?: readonly { readonly key: string; readonly value: Record<string, unknown> }[];
  readonly events?: readonly { readonly name: string }[];
  readonly links?: readonly { readonly spanId: string }[];
}

interface ExportRequest {
  readonly resourceSpans: readonly {
    readonly scopeSpans: readonly { readonly spans: readonly RawSpan[] }[];
  }[];
}

/** Takes spans over OTLP/HTTP, in JSON. */
export class OtlpReceiver {
  readonly spans: ReceivedSpan[] = [];
  readonly #server = createServer((request, response) => void this.#take(request, response));

  /** Gives back the URL for an exporter. */
  async start(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1/traces`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  /** The spans below one, in the order in which they came. */
  below({ spanId }: Pick<ReceivedSpan, 'spanId'>): readonly ReceivedSpan[] {
    return this.spans.filter(({ parentSpanId }) => parentSpanId === spanId);
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { resourceSpans } = JSON.parse(Buffer.concat(chunks).toString()) as ExportRequest;
    const raw = resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
    this.spans.push(...raw.map(received));
    response.setHeader('content-type', 'application/json').end('{}');
  }
}

function received({ attributes = [], events = [], links = [], ...span }: RawSpan): ReceivedSpan {
  return {
    ...span,
    attributes: Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]])),
    events: events.map(({ name }) => name),
    links: links.map(({ spanId }) => spanId),
  };
}
