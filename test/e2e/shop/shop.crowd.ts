import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Order, OrderLine, OrderRequest } from '../../../apps/shop/src/common/contract.js';

/** Longer than any order may take: a request that takes so long hangs. */
const HANGS_AFTER_MS = 90_000;
const MOST_TRIES = 40;
const PAUSE_MS = 150;

/** An answer to `POST /orders`. */
export interface Answer {
  readonly status: number;
  readonly isReplayed: boolean;
  readonly order: Order;
}

/** What one customer wants, and the answers that came. */
export interface Visit {
  readonly key: string;
  readonly request: OrderRequest;
  readonly answers: readonly Answer[];
}

/** Sends an order until there is an answer that says what it is: as a customer whose connection is bad. */
export async function send(url: string, key: string, request: OrderRequest): Promise<Answer> {
  let last: unknown;
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    try {
      const response = await post(url, key, request);
      const text = await response.text();
      if (response.status === 201 || response.status === 202)
        return {
          status: response.status,
          isReplayed: response.headers.get('idempotent-replayed') === 'true',
          order: JSON.parse(text) as Order,
        };
      last = `${response.status} ${text}`;
      if (response.status < 500 && response.status !== 409) break;
    } catch (error) {
      last = error;
    }
    await sleep(PAUSE_MS);
  }
  throw new Error(`no answer to the order ${key}: ${String(last)}`);
}

/** One request, whatever comes back. */
export function post(url: string, key: string | undefined, body: unknown): Promise<Response> {
  return fetch(`${url}/orders`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(key !== undefined && { 'idempotency-key': key }) },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(HANGS_AFTER_MS),
  });
}

/** Customers who come at once; every fifth sends twice. `onAnswer` hears of each answer. */
export function crowd(
  url: string,
  requests: readonly OrderRequest[],
  onAnswer: (count: number) => void = () => undefined,
): Promise<Visit[]> {
  let count = 0;
  return Promise.all(
    requests.map(async (request, at) => {
      const key = randomUUID();
      const once = async () => {
        const answer = await send(url, key, request);
        onAnswer(++count);
        return answer;
      };
      const answers = await Promise.all(at % 5 === 0 ? [once(), once()] : [once()]);
      return { key, request, answers };
    }),
  );
}

/** Orders of 1 to 3 lines over `goods`, 1 to 3 of each; the same ones for the same seed. */
export function randomOrders(count: number, goods: readonly string[], seed: number): OrderRequest[] {
  const random = dice(seed);
  const upTo = (most: number) => 1 + Math.floor(random() * most);
  return Array.from({ length: count }, (_, at) => {
    const wanted = new Set(Array.from({ length: upTo(3) }, () => goods[upTo(goods.length) - 1]!));
    const lines: OrderLine[] = [...wanted].map((goodsId) => ({ goodsId, quantity: upTo(3) }));
    return { customer: `customer ${at + 1}`, lines };
  });
}

/** A linear congruential generator (Numerical Recipes): good enough to mix orders. */
export function dice(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
