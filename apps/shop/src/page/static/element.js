/* global document */

/**
 * A new element. User text must pass through this function and never through HTML, so it is shown verbatim.
 * @param name of the element
 * @param options `text`, `title`, `class`, `data` (attributes data-*), `attributes`
 * @param children of it, in order
 */
export function element(name, options = {}, children = []) {
  const made = document.createElement(name);
  if (options.text !== undefined) made.textContent = options.text;
  if (options.title !== undefined) made.title = options.title;
  if (options.class !== undefined) made.className = options.class;
  Object.assign(made.dataset, options.data);
  for (const [key, value] of Object.entries(options.attributes ?? {})) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** The element of the page with this id. */
export function byId(id) {
  return document.getElementById(id);
}

/** Shows the beginning of a long id, with the whole id in the tooltip. */
export function code(id) {
  const text = String(id);
  return element('span', { class: 'code', text: text.length > 12 ? text.slice(0, 8) : text, title: text });
}

/** The time of day of an ISO time, in the zone and format of the reader. */
export function clock(iso) {
  const at = new Date(iso);
  return element('time', {
    text: at.toLocaleTimeString(),
    title: at.toLocaleString(),
    attributes: { datetime: iso },
  });
}
