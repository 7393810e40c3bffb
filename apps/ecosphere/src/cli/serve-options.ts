import type { OptionRow, OptionSet } from './option-row.js';

/** Port 0 takes a free one. */
export const PORTS = [0, 65_535] as const;

/** The options of `npm run serve`. */
const ROWS = {
  port: {
    value: '<n>',
    range: PORTS,
    text: 'the port on 127.0.0.1; else PORT, else 3000; 0 takes a free port',
  },
  redis: {
    value: '<url>',
    text: 'the Redis to use; else REDIS_URL, else a redis-server that starts and stops with the shop',
  },
  stock: {
    value: '<n>',
    range: [1, 1_000_000],
    text: 'items of a new sale, default 1000; a sale already on the Redis continues',
  },
  help: { text: 'show this page' },
} as const satisfies Record<string, OptionRow>;

export const SERVE: OptionSet<keyof typeof ROWS> = {
  rows: ROWS,
  hint: 'npm run serve -- --help lists every option',
};
