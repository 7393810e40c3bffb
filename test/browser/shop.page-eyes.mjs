/* global document, innerWidth */
/** What runs in the browser: each function is sent there as text, and knows nothing of this module. */

/** Of all that match, as they stand. */
export function textsOf(selector) {
  return [...document.querySelectorAll(selector)].map((one) => one.textContent.trim());
}

/** What an attribute data-* of all that match says. */
export function dataOf(selector, name) {
  return [...document.querySelectorAll(selector)].map((one) => one.dataset[name] ?? '');
}

/** Whether the text of the first that matches is this. */
export function readsAs(selector, text) {
  return document.querySelector(selector)?.textContent.trim() === text;
}

/** Empties a field. */
export function clear(selector) {
  document.querySelector(selector).value = '';
}

/** Sets the clock of this page ahead. */
export function stepClock(ms) {
  const { now } = Date;
  Date.now = () => now.call(Date) + ms;
}

/** The width of the window, and of the widest thing in it. */
export function widths() {
  const all = [...document.querySelectorAll('body, body *:not(.unseen, .unseen *, .skip)')];
  return { window: innerWidth, content: Math.max(...all.map((one) => one.scrollWidth)) };
}

/** Whether the whole can be scrolled sideways. */
export function scrollsSideways() {
  return document.documentElement.scrollWidth > innerWidth;
}

/** The accessibility of the page, as a screen reader sees it. */
export function namesFound() {
  const all = (selector) => [...document.querySelectorAll(selector)];
  const nameOf = (one) =>
    one.labels?.[0]?.textContent || one.getAttribute('aria-label') || one.textContent.trim();
  return {
    nameless: all('input, button, [role=group]').filter((one) => !nameOf(one)).length,
    unlabelled: all('select').filter((one) => one.labels.length === 0).length,
    tables: all('table').length,
    withoutHeads: all('table').filter((one) => !one.querySelector('caption + thead th[scope=col]')).length,
    live: all('[role=status]').map(({ id }) => id),
    language: document.documentElement.lang,
    headings: all('h1').length,
  };
}

/** Puts markup into the page as a careless script would. Answers with what came of it. */
export function insertMarkup(markup) {
  try {
    document.body.insertAdjacentHTML('beforeend', markup);
    return 'inserted';
  } catch (error) {
    return error.name;
  }
}
