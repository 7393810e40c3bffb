import { byId, clock, code, element } from './element.js';

/** The number of orders in a snapshot. */
const SHOWN = 50;

const body = byId('orders').tBodies[0];
const rows = new Map();

/** Replaces the shown orders by these, newest first. */
export function showOrders(orders) {
  rows.clear();
  body.replaceChildren(...orders.map((order) => rowOf(order)));
}

/** Shows a new or changed order. */
export function showOrder(order) {
  const before = rows.get(order.id);
  // Messages may overtake each other; a settled order stays settled.
  if (before !== undefined && before.order.status !== 'pending') return;
  const row = rowOf(order);
  row.classList.add('fresh');
  if (before === undefined) place(row, order);
  else before.row.replaceWith(row);
  while (body.rows.length > SHOWN) {
    const last = body.rows[body.rows.length - 1];
    rows.delete(last.dataset.order);
    last.remove();
  }
}

function place(row, order) {
  const younger = [...body.rows].findLast((other) => {
    const shown = rows.get(other.dataset.order);
    return shown !== undefined && shown.order.createdAt > order.createdAt;
  });
  if (younger === undefined) body.prepend(row);
  else younger.after(row);
}

function rowOf(order) {
  const row = element('tr', { data: { order: order.id, status: order.status } }, [
    element('td', {}, [
      element('span', { class: 'status', text: order.status, data: { status: order.status } }),
      ...(order.reason === undefined ? [] : [element('span', { class: 'reason', text: order.reason })]),
    ]),
    element('td', { text: order.customer }),
    element('td', {
      text: order.lines.map(({ goodsId, quantity }) => `${quantity}\u00a0×\u00a0${goodsId}`).join(', '),
    }),
    element('td', { class: 'minor' }, [code(order.id)]),
    element('td', { class: 'minor' }, [clock(order.createdAt)]),
  ]);
  rows.set(order.id, { row, order });
  return row;
}
