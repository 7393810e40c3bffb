import { byId, clock, code, element } from './element.js';

const BALANCES = { agrees: 'agrees', broken: 'does not agree', unknown: '–' };
/** A screen reader need not announce every one of hundreds of orders. */
const SPOKEN_EVERY_MS = 3_000;

let spokenAt = -Infinity;
let newestFlow;

/** Shows the counts of all orders. */
export function showCounts(counts) {
  for (const name of ['total', 'confirmed', 'pending', 'failed']) {
    byId(name).textContent = counts[name].toLocaleString();
  }
  if (Date.now() - spokenAt < SPOKEN_EVERY_MS) return;
  spokenAt = Date.now();
  byId('news').textContent =
    `${counts.total} orders: ${counts.confirmed} confirmed, ${counts.pending} pending, ${counts.failed} failed`;
}

/** Shows stock and flows; the old figures stay when the stock service does not answer. */
export function showStock({ isHere, books, balance }) {
  const note = byId('stock-note');
  note.hidden = isHere;
  note.textContent = isHere ? '' : 'The stock service does not answer; these are its last figures.';
  byId('balance').dataset.state = balance;
  byId('balance-word').textContent = BALANCES[balance];
  if (!isHere) return;
  byId('stock').tBodies[0].replaceChildren(...books.stock.map(stockRow));
  byId('flows-total').textContent = books.total === 0 ? '' : `${books.total.toLocaleString()} in total`;
  byId('flows').tBodies[0].replaceChildren(...books.flows.map(flowRow));
  newestFlow = Math.max(0, ...books.flows.map(({ id }) => id));
}

function stockRow({ goodsId, start, amount, sold }) {
  const share = start > 0 ? Math.max(0, amount / start) : 0;
  const row = element('tr', { data: { goods: goodsId } }, [
    element('th', { text: goodsId, attributes: { scope: 'row' } }),
    element('td', { class: 'number', text: start.toLocaleString() }),
    element('td', { class: 'number sold', text: sold.toLocaleString() }),
    element('td', { class: 'number left', text: amount.toLocaleString() }),
    element('td', { class: 'bar', attributes: { 'aria-hidden': 'true' } }, [element('span')]),
  ]);
  // Set through the object model: the page's policy allows no style attribute in HTML.
  row.querySelector('span').style.setProperty('--left', `${Math.min(100, 100 * share)}%`);
  if (amount <= 0) row.dataset.out = '';
  else if (share <= 0.2) row.dataset.low = '';
  return row;
}

function flowRow({ id, goodsId, quantity, operationId, at }) {
  const row = element('tr', { data: { flow: id, operation: operationId } }, [
    element('td', { class: 'number', text: String(id) }),
    element('td', { text: goodsId }),
    element('td', { class: 'number', text: `−${quantity}` }),
    element('td', {}, [code(operationId)]),
    element('td', { class: 'minor' }, [clock(at)]),
  ]);
  if (newestFlow !== undefined && id > newestFlow) row.classList.add('fresh');
  return row;
}
