/* global EventSource, clearInterval, setInterval, setTimeout */

/** The server sends something at least every 5 s: after so long without, the connection is dead, whatever it seems. */
const SILENT_MS = 12_000;
/** A new connection begins with a snapshot. The browser may try it on an old socket that is as dead as the last one. */
const OPENED_WITHIN_MS = 4_000;
const RETRY_MS = 1_000;
const EVENTS = ['snapshot', 'order', 'figures', 'beat'];

/**
 * Hears the feed for as long as the page is open. Every connection begins with a snapshot of everything, so that nothing
 * that was missed meanwhile stays missed.
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
      // The browser tries again by itself, unless it was answered with something that is no feed.
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
