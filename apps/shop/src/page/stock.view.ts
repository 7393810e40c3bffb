import type { StockBooks, StockRow } from '../common/contract.js';
import { SHOWN, type StockView } from './feed-message.js';

/** How long the page waits for the stock service, in ms: an older figure is better than a late one. */
const ANSWER_WITHIN_MS = 1_000;

/** Stock and flows as the stock service reports them, in one snapshot. @throws never; silence is an answer */
export async function readStock(stockUrl: string): Promise<StockView> {
  try {
    const answer = await fetch(new URL(`/books?limit=${SHOWN}`, stockUrl), {
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    });
    if (!answer.ok) return { isHere: false, balance: 'unknown' };
    const books = (await answer.json()) as StockBooks;
    return { isHere: true, books, balance: books.stock.every(isBalanced) ? 'agrees' : 'broken' };
  } catch {
    return { isHere: false, balance: 'unknown' };
  }
}

function isBalanced({ start, sold, amount }: StockRow): boolean {
  return amount >= 0 && start - sold === amount;
}
