import { Injectable } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Operation, OrderLine } from '../common/contract.js';
import { OrderSettings } from './order.settings.js';
import { StockUnansweredError } from './stock-unanswered.error.js';

/** A request to the stock service. */
interface StockRequest {
  readonly method: 'GET' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
}

/** A conclusive response. */
interface StockResponse {
  readonly status: number;
  readonly body: unknown;
}

const LONGEST_PAUSE_MS = 2_000;
/** The operation is in flight, or its goods are busy. */
const CONFLICT = 409;

/** Client of the stock service. Every request may be repeated, since all of them name their operation. */
@Injectable()
export class StockClient {
  constructor(private readonly settings: OrderSettings) {}

  /** How the operation ended. @throws StockUnansweredError, or the reason of the signal */
  async deduct(operationId: string, lines: readonly OrderLine[], signal: AbortSignal): Promise<Operation> {
    const path = `operations/${operationId}`;
    return operationOf(await this.#sendUntilAnswered({ method: 'PUT', path, body: { lines } }, signal));
  }

  /** Asks once; undefined while the operation has not ended. @throws as `deduct()` */
  async look(operationId: string, signal: AbortSignal): Promise<Operation | undefined> {
    const answer = await this.#send({ method: 'GET', path: `operations/${operationId}` }, signal);
    return answer.status === 404 ? undefined : operationOf(answer);
  }

  /** How the operation ended; cancels it unless it has already ended. @throws as `deduct()` */
  async cancel(operationId: string, signal: AbortSignal): Promise<Operation> {
    const path = `operations/${operationId}`;
    return operationOf(await this.#sendUntilAnswered({ method: 'DELETE', path }, signal));
  }

  /** Whether the service answers. */
  async isThere(signal: AbortSignal): Promise<boolean> {
    return this.#send({ method: 'GET', path: 'health' }, signal).then(
      () => true,
      () => false,
    );
  }

  async #sendUntilAnswered(question: StockRequest, signal: AbortSignal): Promise<StockResponse> {
    const { stockTries, backOffMs } = this.settings;
    for (let tries = 1; ; tries++) {
      try {
        return await this.#send(question, signal);
      } catch (error) {
        if (!(error instanceof StockUnansweredError) || !error.isWorthRetrying || tries >= stockTries)
          throw error;
        const pauseMs = Math.min(backOffMs * 2 ** (tries - 1), LONGEST_PAUSE_MS);
        // Clients that failed together must not return together.
        await sleep(pauseMs * (0.5 + Math.random() / 2), undefined, { signal });
      }
    }
  }

  async #send({ method, path, body }: StockRequest, signal: AbortSignal): Promise<StockResponse> {
    signal.throwIfAborted();
    const { stockUrl, stockTimeoutMs } = this.settings;
    let answer: StockResponse;
    try {
      const response = await fetch(new URL(path, stockUrl), {
        method,
        signal: AbortSignal.any([signal, AbortSignal.timeout(stockTimeoutMs)]),
        ...(body !== undefined && {
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        }),
      });
      answer = { status: response.status, body: await response.json() };
    } catch (error) {
      signal.throwIfAborted();
      throw new StockUnansweredError(detailOf(error), true, { cause: error });
    }
    const { status } = answer;
    if (status >= 500 || status === CONFLICT) throw new StockUnansweredError(`status ${status}`, true);
    if (status >= 400 && status !== 404) throw new StockUnansweredError(`status ${status}`, false);
    return answer;
  }
}

/** Another server may answer in place of the stock service: then the outcome is unknown. */
function operationOf({ status, body }: StockResponse): Operation {
  const operation = body as Operation | null;
  const isOne = ['deducted', 'refused', 'cancelled'].includes(operation?.state ?? '');
  if (status === 200 && isOne) return operation!;
  throw new StockUnansweredError(`no operation in an answer of status ${status}`, false);
}

function detailOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
