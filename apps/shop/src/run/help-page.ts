import { OPTION_TABLE, type OptionRow } from './option-table.js';

const HEAD = `The shop: an order service and a stock service on real servers; each order is sold exactly once or not at all.

  npm run shop                            200 concurrent orders, with dropped replies and a killed stock service; a report
  npm run shop -- --serve                 the same, with the live page open
  npm run shop -- --locks redis           with the locks on Redis instead of ZooKeeper
  npm run shop -- --orders 50 --no-faults

Options`;

const FOOT = `The run uses MariaDB, Redis and the lock server of MYSQL_URL, REDIS_URL and ZOOKEEPER_URL (ETCD_URL, POSTGRES_URL); otherwise it
starts and stops them. It creates its own databases and removes them.

Exit codes
  0  stock and flows agree, and every order is confirmed or failed
  1  a check failed
  2  an invalid option
  3  the run could not be completed, for instance because a server does not start`;

/** The page of `--help`. */
export function helpPage(): string {
  const rows = Object.entries<OptionRow>(OPTION_TABLE).map(([name, { value, range, text }]) => {
    const usage = value === undefined ? `--${name}` : `--${name} ${value}`;
    return `  ${usage.padEnd(16)} ${text}${range === undefined ? '' : ` (${range[0]} to ${range[1]})`}`;
  });
  return [HEAD, ...rows, '', FOOT, ''].join('\n');
}
