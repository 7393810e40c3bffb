import type { OrderLine } from './contract.js';
import { fieldsOf, refusal } from './refusal.js';

/** A key of the database and of a lock, not a text. */
const GOODS_ID = /^[\w.-]{1,64}$/;
const MOST_LINES = 20;
const MOST_ITEMS = 1_000_000;

/** The checked lines of an order. @throws BadRequestException naming the field: `lines[2].quantity` */
export function checkLines(lines: unknown): readonly OrderLine[] {
  if (!Array.isArray(lines) || lines.length === 0 || lines.length > MOST_LINES) {
    throw refusal('lines', `a list of 1 to ${MOST_LINES} lines`);
  }
  const checked = (lines as readonly unknown[]).map((line, at) => checkLine(`lines[${at}]`, line));
  const twice = checked.findIndex(
    ({ goodsId }, at) => checked.findIndex((one) => one.goodsId === goodsId) < at,
  );
  if (twice >= 0) throw refusal(`lines[${twice}].goodsId`, 'in one line only');
  return checked;
}

function checkLine(place: string, line: unknown): OrderLine {
  const { goodsId, quantity } = fieldsOf(place, line, ['goodsId', 'quantity']);
  if (typeof goodsId !== 'string' || !GOODS_ID.test(goodsId)) {
    throw refusal(`${place}.goodsId`, '1 to 64 letters, digits, or any of _ . -');
  }
  if (!Number.isInteger(quantity) || !((quantity as number) >= 1 && (quantity as number) <= MOST_ITEMS)) {
    throw refusal(`${place}.quantity`, `a whole number from 1 to ${MOST_ITEMS}`);
  }
  return { goodsId, quantity: quantity as number };
}
