import { byId, code, element } from './element.js';
import { send } from './send.js';

const MAX_LINES = 3;

const form = byId('form');
const lines = byId('lines');
const answers = byId('answers');
let goods = [];
let serial = 0;

/** Offers the goods that can be ordered, and keeps earlier choices. */
export function offer(goodsIds) {
  if (goodsIds.length === goods.length && goodsIds.every((id, at) => id === goods[at])) return;
  goods = goodsIds;
  if (lines.children.length === 0 && goods.length > 0) addLine();
  for (const choice of lines.querySelectorAll('select')) fill(choice, choice.value);
  tidy();
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  void place(1);
});
byId('twice').addEventListener('click', () => void place(2));
byId('more').addEventListener('click', () => {
  addLine();
  tidy();
  lines.lastElementChild.querySelector('select').focus();
});
tidy();

function addLine() {
  const id = ++serial;
  const choice = element('select', { attributes: { id: `goods-${id}`, name: 'goodsId' } });
  const taken = [...lines.querySelectorAll('select')].map(({ value }) => value);
  fill(
    choice,
    goods.find((one) => !taken.includes(one)),
  );
  const remove = element('button', {
    text: '−',
    attributes: { type: 'button', 'aria-label': 'Remove these goods' },
  });
  const amount = { id: `quantity-${id}`, name: 'quantity', type: 'number', min: '1', step: '1', value: '1' };
  const line = element('div', { class: 'line', attributes: { role: 'group', 'aria-label': 'Goods' } }, [
    element('label', { text: 'Goods', attributes: { for: `goods-${id}` } }),
    element('label', { text: 'Quantity', attributes: { for: `quantity-${id}` } }),
    element('span'),
    choice,
    element('input', { attributes: { ...amount, inputmode: 'numeric', required: '' } }),
    remove,
  ]);
  remove.addEventListener('click', () => {
    line.remove();
    tidy();
    byId('more').focus();
  });
  lines.append(line);
}

function fill(choice, chosen) {
  choice.replaceChildren(...goods.map((id) => element('option', { text: id, attributes: { value: id } })));
  if (goods.includes(chosen)) choice.value = chosen;
}

/** Disables impossible actions. */
function tidy() {
  const count = lines.children.length;
  byId('more').disabled = count >= Math.min(MAX_LINES, goods.length);
  for (const button of lines.querySelectorAll('button')) button.disabled = count === 1;
  for (const name of ['once', 'twice']) byId(name).disabled = count === 0;
}

/** Sends the order several times at once, under one key, and shows each response. */
async function place(times) {
  const order = {
    customer: byId('customer').value.trim(),
    lines: [...lines.children].map((line) => ({
      goodsId: line.querySelector('select').value,
      quantity: line.querySelector('input').valueAsNumber,
    })),
  };
  const key = globalThis.crypto.randomUUID();
  busy(true);
  try {
    answers.replaceChildren(
      element('p', { text: times === 1 ? 'Sending …' : 'Sending twice, under one key …' }),
    );
    show(await Promise.all(Array.from({ length: times }, () => send(order, key))));
  } catch (error) {
    answers.replaceChildren(element('p', {}, [verdict(`Outcome unknown: ${error.message}.`, 'bad')]));
  } finally {
    busy(false);
  }
}

function busy(isBusy) {
  form.setAttribute('aria-busy', String(isBusy));
  if (!isBusy) return tidy();
  for (const name of ['once', 'twice']) byId(name).disabled = true;
}

function show(replies) {
  markField(replies.find(({ body }) => body.field !== undefined)?.body.field);
  answers.replaceChildren(summary(replies), element('ol', {}, replies.map(item)));
}

function summary(replies) {
  const ids = new Set(replies.map(({ body }) => body.id));
  if (ids.has(undefined)) return element('p', {}, [verdict('Refused.', 'bad')]);
  if (replies.length === 1) return element('p', {}, [verdict(`The order is ${replies[0].body.status}.`)]);
  if (ids.size === 1) return element('p', {}, [verdict('Sent twice, one order:'), ' both answers name it.']);
  return element('p', {}, [verdict('Sent twice, two orders!', 'bad')]);
}

function item({ status, body, isReplayed }) {
  if (body.id === undefined)
    return element('li', { text: `${status} · ${body.message ?? 'no reason given'}` });
  return element('li', { data: { answer: body.id, replayed: String(isReplayed) } }, [
    `${status} · order `,
    code(body.id),
    ` · ${body.status}${body.reason === undefined ? '' : ` (${body.reason})`}`,
    ...(isReplayed
      ? [element('br'), element('span', { class: 'code', text: 'Idempotent-Replayed: true' })]
      : []),
  ]);
}

function verdict(text, is = 'good') {
  return element('strong', { text, data: { is } });
}

/** @param field as a refusal names it: `customer`, `lines[2].quantity` */
function markField(field) {
  for (const input of form.querySelectorAll('[aria-invalid]')) input.removeAttribute('aria-invalid');
  const [, at, name] = /^lines\[(\d+)\](?:\.(\w+))?/.exec(field ?? '') ?? [];
  const line = at === undefined ? undefined : lines.children[Number(at)];
  const input =
    field === 'customer' ? byId('customer') : line?.querySelector(`[name="${name ?? 'goodsId'}"]`);
  input?.setAttribute('aria-invalid', 'true');
  input?.focus();
}
