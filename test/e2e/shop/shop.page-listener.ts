import { setTimeout as sleep } from 'node:timers/promises';

/** One event of a feed. */
export interface FeedEvent {
  readonly type: string;
  readonly data: unknown;
}

/** Hears `/feed` as a browser does, but without connecting again. */
export class FeedListener {
  /** In the order in which they came. */
  readonly events: FeedEvent[] = [];
  /** Resolves when either side ends the feed. */
  readonly ended: Promise<void>;
  readonly #connection = new AbortController();

  static async open(url: string): Promise<FeedListener> {
    const connection = new AbortController();
    const headers = { connection: 'close' };
    const answer = await fetch(`${url}/feed`, { headers, signal: connection.signal });
    return new FeedListener(answer, connection);
  }

  private constructor(answer: Response, connection: AbortController) {
    this.#connection = connection;
    this.ended = this.#hear(answer.body!).catch(() => undefined);
  }

  /** Of all events of a type, what they said. */
  all(type: string): unknown[] {
    return this.events.filter((one) => one.type === type).map(({ data }) => data);
  }

  /** Resolves when so many events of a type have come. @throws when they do not in time */
  async hears(type: string, count = 1, withinMs = 5_000): Promise<void> {
    const deadline = performance.now() + withinMs;
    while (this.all(type).length < count) {
      if (performance.now() > deadline) {
        const heard = this.events.map((one) => one.type).join(' ');
        throw new Error(`no ${count} events of type ${type} within ${withinMs} ms; heard: ${heard}`);
      }
      await sleep(10);
    }
  }

  /** As when a tab is closed. */
  async leave(): Promise<void> {
    this.#connection.abort();
    await this.ended;
  }

  async #hear(body: ReadableStream<Uint8Array>): Promise<void> {
    let text = '';
    const decoder = new TextDecoder();
    for await (const chunk of body) {
      text += decoder.decode(chunk, { stream: true });
      const events = text.split('\n\n');
      text = events.pop()!;
      for (const event of events) this.#take(event);
    }
  }

  #take(event: string): void {
    const type = /^event: (.*)$/m.exec(event)?.[1];
    const data = /^data: (.*)$/m.exec(event)?.[1];
    if (type !== undefined && data !== undefined) this.events.push({ type, data: JSON.parse(data) });
  }
}
