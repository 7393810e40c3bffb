import { OPTION_TABLE, type OptionRow } from './option-table.js';

const HEAD = `The shop: an order service and a stock service on real servers, an order sold exactly once or not at all.

  npm run shop                            200 orders at once, replies dropped, the stock service killed; a report
  npm run shop -- --serve                 the same, and the live page stays open
  npm run shop -- --locks redis           with the locks on Redis instead of ZooKeeper
  npm run shop -- --orders 50 --no-faults

Options`;

const FOOT = `MariaDB, Redis and the server of the locks are those of MYSQL_URL, REDIS_URL, ZOOKEEPER_URL (ETCD_URL, POSTGRES_URL), else
they are started, and stopped at the end. The run has databases of its own, and removes them.

Exit codes
  0  stock and flows agree, and every order is confirmed or failed
  1  something does not agree
  2  a wrong option
  3  the run could not be carried out, for instance because a server does not start`;

/** The page of `--help`. */
export function helpPage(): string {
  const rows = Object.entries<OptionRow>(OPTION_TABLE).map(([name, { value, range, text }]) => {
    const usage = value === undefined ? `--${name}` : `--${name} ${value}`;
    return `  ${usage.padEnd(16)} ${text}${range === undefined ? '' : `, ${range[0]} to ${range[1]}`}`;
  });
  return [HEAD, ...rows, '', FOOT, ''].join('\n');
}
