/* global EventSource, clearInterval, setInterval, setTimeout */

/** The server sends a message at least every 5 s: after a longer silence, the connection counts as dead. */
const SILENT_MS = 12_000;
/** A new connection begins with a snapshot. The browser may reuse an old socket that is just as dead. */
const OPENED_WITHIN_MS = 4_000;
const RETRY_MS = 1_000;
const EVENTS = ['snapshot', 'order', 'figures', 'beat'];

/**
 * Listens to the feed while the page is open. Every connection begins with a snapshot of everything, so changes missed
 * in the meantime arrive too.
 * @param handlers `snapshot`, `order` and `figures` by their data, and `link` with 'live' or 'reconnecting'
 */
export function listen(handlers) {
  let source;
  let heardAt;
  let patienceMs;

  const open = () => {
    const opened = new EventSource('/feed');
    source = opened;
    heardAt = Date.now();
    patienceMs = OPENED_WITHIN_MS;
    for (const name of EVENTS) {
      opened.addEventListener(name, ({ data }) => {
        heardAt = Date.now();
        patienceMs = SILENT_MS;
        if (name === 'snapshot') handlers.link('live');
        handlers[name]?.(JSON.parse(data));
      });
    }
    opened.addEventListener('error', () => {
      handlers.link('reconnecting');
      // The browser reconnects by itself, unless the response was not a feed.
      if (opened.readyState === EventSource.CLOSED) setTimeout(() => reopen(opened), RETRY_MS);
    });
  };
  const reopen = (dead) => {
    if (dead !== source) return;
    source.close();
    open();
  };

  open();
  const watch = setInterval(() => {
    if (Date.now() - heardAt < patienceMs) return;
    handlers.link('reconnecting');
    reopen(source);
  }, RETRY_MS);
  return () => {
    clearInterval(watch);
    source.close();
  };
}
