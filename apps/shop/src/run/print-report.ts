import type { Order, StockRow } from '../common/contract.js';
import type { Audit } from './audit.js';
import type { PlacedOrder } from './place-orders.js';
import type { Figures } from './read-figures.js';

/** The data of a report. */
export interface Outcome {
  readonly placed: readonly PlacedOrder[];
  readonly figures: Figures;
  readonly audit: Audit;
  readonly faults: number;
  readonly tookMs: number;
}

/** The lines of the report; the last one is the verdict. */
export function reportLines({ placed, figures, audit, faults, tookMs }: Outcome): string[] {
  const { orders, books } = figures;
  const requests = placed.reduce((sum, { ids }) => sum + ids.length, 0);
  const replays = placed.reduce((sum, one) => sum + one.replays, 0);
  return [
    '',
    ...stockLines(books.stock),
    '',
    `  orders    ${orders.total}: ${orders.confirmed} confirmed, ${orders.failed} failed, ${orders.pending} pending`,
    ...reasonsOf(orders.orders).map(([reason, count]) => `            ${count} failed: ${reason}`),
    `  requests  ${requests}, of which ${replays} were replayed`,
    `  flows     ${books.total}`,
    `  faults    ${faults}`,
    `  time      ${(tookMs / 1_000).toFixed(2)} s`,
    '',
    ...audit.checks.map(({ isMet, text }) => `  ${isMet ? '✔' : '✘'} ${text}`),
    '',
    audit.verdict,
  ];
}

/** Reasons of failed orders, the most frequent first; the names of the goods are removed. */
function reasonsOf(orders: readonly Order[]): [reason: string, count: number][] {
  const counts = new Map<string, number>();
  for (const { status, reason = 'no reason given' } of orders) {
    if (status !== 'failed') continue;
    const [kind] = reason.split(':', 1);
    counts.set(kind!, (counts.get(kind!) ?? 0) + 1);
  }
  return [...counts].sort(([, one], [, other]) => other - one);
}

function stockLines(stock: readonly StockRow[]): string[] {
  const rows = stock.map(({ goodsId, start, sold, amount }) => [goodsId, start, sold, amount].map(String));
  const all = [['goods', 'start', 'flows', 'left'], ...rows];
  const widths = [0, 1, 2, 3].map((at) => Math.max(...all.map((row) => row[at]!.length)));
  const lines = all.map((row) => {
    const cells = row.map((cell, at) => (at === 0 ? cell.padEnd(widths[at]!) : cell.padStart(widths[at]!)));
    return `  ${cells.join('  ')}`;
  });
  lines.splice(1, 0, `  ${widths.map((width) => '─'.repeat(width)).join('  ')}`);
  return lines;
}
