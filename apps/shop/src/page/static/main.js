import { byId } from './element.js';
import { listen } from './feed.js';
import { showCounts, showStock } from './figures.js';
import { offer } from './form.js';
import { showOrder, showOrders } from './orders.js';

function showFigures({ counts, stock }) {
  showCounts(counts);
  showStock(stock);
  if (stock.isHere) offer(stock.books.stock.map(({ goodsId }) => goodsId));
}

listen({
  snapshot: ({ orders, ...figures }) => {
    showOrders(orders);
    showFigures(figures);
  },
  order: ({ order }) => showOrder(order),
  figures: showFigures,
  link: (state) => {
    const link = byId('link');
    // Only on a change: the screen reader would announce the region again.
    if (link.dataset.state === state) return;
    link.dataset.state = state;
    link.textContent = state;
  },
});
