import { LOCKS_BACKENDS } from '../stock/lock-backend.js';

/** One option; the parser, its checks and the help page share it. */
export interface OptionRow {
  /** How the help shows the value; a flag has none. */
  readonly value?: string;
  readonly text: string;
  /** The words that it accepts. */
  readonly words?: readonly string[];
  /** The whole numbers that it accepts. */
  readonly range?: readonly [min: number, max: number];
}

export const OPTION_TABLE = {
  orders: { value: '<n>', range: [1, 500], text: 'orders to place at once; default 200' },
  goods: { value: '<n>', range: [1, 50], text: 'goods to order, one in five of which runs out; default 10' },
  locks: {
    value: '<name>',
    words: LOCKS_BACKENDS,
    text: `where the locks of the stock service are: ${LOCKS_BACKENDS.join(', ')}; default zookeeper`,
  },
  'no-faults': { text: 'drop no replies and kill no process' },
  serve: { text: 'keep running after the report until Ctrl-C, with the live page at /' },
  port: {
    value: '<n>',
    range: [0, 65_535],
    text: 'port of the order service and its page; default 3000 with --serve, else a free port; 0 takes a free port',
  },
  help: { text: 'show this page' },
} as const satisfies Record<string, OptionRow>;

export type OptionName = keyof typeof OPTION_TABLE;
