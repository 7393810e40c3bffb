import { liveness } from 'bedrock-testkit';
import { Agent, request, type IncomingHttpHeaders } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer } from '../../../apps/ecosphere/src/shop-front/sale.controller.js';
import type { Sale } from '../../../apps/ecosphere/src/shop-front/sale.js';

/** Longer than any wait for the lock: a request that takes so long, apart from stalls of this process, hangs. */
const HANGS_AFTER_MS = 30_000;
/** Pause between two looks at a request that is so late. */
const LOOK_EVERY_MS = 1_000;
const MOST_TRIES = 20;

/** One request, and how it ended: with an answer, or with an error of the connection. */
export interface Attempt {
  readonly buyer: number;
  /** Which shop was asked. */
  readonly shop: number;
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
  /** Code of the error of the connection; HUNG after 30 s without stalls. */
  readonly failure: string | undefined;
  readonly startedAt: number;
  readonly endedAt: number;
}

/** What a buyer went home with. */
export interface Visit {
  readonly buyer: number;
  readonly answer: Answer | undefined;
}

/** Buyers that arrive at once and want one item each. After an error, a buyer asks another shop for the same order. */
export class Buyers {
  /** Every request that has ended. */
  readonly attempts: Attempt[] = [];
  /** Requests that were sent and have not ended. */
  open = 0;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: Infinity });

  constructor(
    /** Where the shops listen. */
    private readonly urls: readonly string[],
  ) {}

  /** Sends so many, dealt out to the shops. Resolves when all have gone home. */
  async come(count: number): Promise<Visit[]> {
    try {
      // Watched for stalls, by which the time of a request is judged.
      return await liveness.explain('the crowd', () =>
        Promise.all(Array.from({ length: count }, (_, buyer) => this.#shop(buyer))),
      );
    } finally {
      this.#agent.destroy();
    }
  }

  /** Sales that buyers have heard of, in the order of the answers. */
  get sales(): readonly Sale[] {
    return this.attempts
      .filter(({ status }) => status === 201)
      .map(({ body }) => (body as Answer & { sold: true }).sale);
  }

  /** @throws AssertionError if the slowest request took longer than any wait for the lock, apart from stalls */
  assertAnswered(): void {
    const timings = this.attempts.map(({ startedAt: from, endedAt: to }) => ({ from, to }));
    const slowest = timings.reduce((a, b) => (b.to - b.from > a.to - a.from ? b : a));
    liveness.assertMedian('the slowest request', HANGS_AFTER_MS, [slowest]);
  }

  async #shop(buyer: number): Promise<Visit> {
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const attempt = await this.#ask(buyer, (buyer + tries) % this.urls.length);
      this.attempts.push(attempt);
      const { status, headers, body } = attempt;
      if (status === 200 || status === 201) return { buyer, answer: body as Answer };
      if (status !== undefined) await sleep(1_000 * Number(headers['retry-after'] ?? 0));
    }
    return { buyer, answer: undefined };
  }

  #ask(buyer: number, shop: number): Promise<Attempt> {
    this.open += 1;
    const startedAt = performance.now();
    return new Promise((resolve) => {
      let look: NodeJS.Timeout | undefined;
      const end = (how: Partial<Attempt>): void => {
        this.open -= 1;
        clearTimeout(look);
        const nothing = { status: undefined, headers: {}, body: undefined, failure: undefined };
        resolve({ buyer, shop, ...nothing, ...how, startedAt, endedAt: performance.now() });
      };
      const sent = request(`${this.urls[shop]}/flash-sale/purchase`, {
        method: 'POST',
        agent: this.#agent,
        headers: { 'content-type': 'application/json' },
        timeout: HANGS_AFTER_MS,
      });
      const endIfHung = (): void => {
        const isHung = liveness.isLate(HANGS_AFTER_MS, [{ from: startedAt, to: performance.now() }]);
        if (isHung) sent.destroy(Object.assign(new Error('it hangs'), { code: 'HUNG' }));
        else look = setTimeout(endIfHung, LOOK_EVERY_MS);
      };
      sent.once('timeout', endIfHung);
      sent.once('error', (error: NodeJS.ErrnoException) => end({ failure: error.code ?? error.message }));
      sent.once('response', (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        response.once('error', (error: NodeJS.ErrnoException) => end({ failure: error.code ?? 'CUT OFF' }));
        response.once('end', () => {
          end({ status: response.statusCode, headers: response.headers, body: JSON.parse(text) as unknown });
        });
      });
      sent.end(JSON.stringify({ buyer: `buyer ${buyer}`, requestId: `order-${buyer}` }));
    });
  }
}
