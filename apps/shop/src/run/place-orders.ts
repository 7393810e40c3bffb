import { setTimeout as sleep } from 'node:timers/promises';
import type { Order } from '../common/contract.js';
import type { PlannedOrder } from './plan-orders.js';

/** The responses to the requests of one order. */
export interface PlacedOrder {
  readonly planned: PlannedOrder;
  /** The order id of each response; a single one if all is well. */
  readonly ids: readonly string[];
  /** Number of replayed responses. */
  readonly replays: number;
}

const TRY_MS = 20_000;
const PAUSE_MS = 300;
const GIVE_UP_MS = 120_000;

/** Places all orders at once. @throws if one is refused, or not answered within two minutes */
export async function placeOrders(
  url: string,
  orders: readonly PlannedOrder[],
  onAnswer: () => void,
): Promise<readonly PlacedOrder[]> {
  return Promise.all(
    orders.map(async (planned) => {
      const answers = await Promise.all(
        Array.from({ length: planned.times }, async () => {
          const answer = await place(url, planned);
          onAnswer();
          return answer;
        }),
      );
      return {
        planned,
        ids: answers.map(({ id }) => id),
        replays: answers.filter(({ isReplayed }) => isReplayed).length,
      };
    }),
  );
}

interface Answer {
  readonly id: string;
  readonly isReplayed: boolean;
}

/** Retries under the same key until answered; this never orders twice. */
async function place(url: string, { key, request }: PlannedOrder): Promise<Answer> {
  const deadline = performance.now() + GIVE_UP_MS;
  for (;;) {
    const why = await attempt(url, key, JSON.stringify(request)).catch((error: unknown) => error);
    if (!(why instanceof Error)) return why as Answer;
    if (why instanceof RefusedError || performance.now() + PAUSE_MS > deadline) throw why;
    await sleep(PAUSE_MS);
  }
}

async function attempt(url: string, key: string, body: string): Promise<Answer> {
  const response = await fetch(`${url}/orders`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': key },
    body,
    signal: AbortSignal.timeout(TRY_MS),
  });
  const text = await response.text();
  const { status, headers } = response;
  if (status >= 500 || status === 409) throw new Error(`the order service answers ${status}: ${text}`);
  if (status >= 400) throw new RefusedError(`the order service refuses an order with ${status}: ${text}`);
  const { id } = JSON.parse(text) as Order;
  return { id, isReplayed: headers.get('idempotent-replayed') === 'true' };
}

/** A retry would not help. */
class RefusedError extends Error {}
