import { COMBINATION_LEASE_MS } from '../server/run-servers.js';
import type { RunOptions } from './run-options.js';
import { UsageError } from './usage.error.js';

/** Checks the combination of options that are valid alone. @throws UsageError */
export function checkTogether(options: RunOptions): void {
  const { backend, processes = 1, buyers = 3_000, purchases = 10_000, leaseMs = 300, holdMs } = options;
  const { requests = 50 } = options;
  if (options.isChaotic === true) checkChaos({ ...options, purchases });
  if (backend === 'memory' && processes > 1) {
    throw new UsageError(
      `the memory backend lives in one process, so --processes ${processes} needs a server`,
      `npm start -- --backend redis --processes ${processes}`,
    );
  }
  if (backend === 'memory' && options.operationTimeoutMs !== undefined) {
    throw new UsageError('--operation-timeout-ms does nothing with --backend memory', 'add --backend redis');
  }
  if (Math.min(buyers, purchases) < processes) {
    throw new UsageError(
      `${processes} processes need at least ${processes} buyers and as many purchases`,
      'raise --buyers and --purchases, or lower --processes',
    );
  }
  if (requests % 2 !== 0) {
    throw new UsageError(
      `--requests must be even, since each pair locks the same rows; got "${requests}"`,
      `--requests ${requests - 1} or --requests ${requests + 1}`,
    );
  }
  if (holdMs !== undefined && holdMs < 2 * leaseMs) {
    throw new UsageError(
      `--hold-ms ${holdMs} is shorter than two leases of ${leaseMs} ms, so no lease would be renewed`,
      `set --hold-ms to ${2 * leaseMs} or more, or lower --lease-ms`,
    );
  }
}

/** Time that a node needs, besides its quarantine, to start and to be noticed, in ms. */
const CHAOS_EXTRA_MS = 1_500;
/** Shortest average duration of a purchase while a node is down, in ms. */
const CHAOS_PURCHASE_MS = 2;

/** The rest of the sale must take longer than the quarantine of the node. */
function checkChaos({
  isLocked,
  purchases,
  leaseMs = COMBINATION_LEASE_MS,
}: RunOptions & { readonly purchases: number }): void {
  if (!isLocked)
    throw new UsageError('--chaos tests the locks, but --no-lock disables them', 'remove one of the two');
  const needed = Math.ceil((leaseMs + CHAOS_EXTRA_MS) / CHAOS_PURCHASE_MS);
  if (purchases >= needed) return;
  throw new UsageError(
    `a sale of ${purchases} purchases ends before a node is back after a lease of ${leaseMs} ms`,
    `set --purchases to ${needed} or more`,
  );
}
