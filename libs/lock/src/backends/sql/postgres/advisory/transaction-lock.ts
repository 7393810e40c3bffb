import { checkFields, checkOneOf, checkTime } from '../../../../core/checks.js';
import { sleep, systemClock, type Clock } from '../../../../core/clock.js';
import { suspendAware } from '../../../../core/suspend-aware-clock.js';
import { InvalidOptionError, LockBusyError, LockWaitTimeoutError } from '../../../../core/errors.js';
import { checkName } from '../../../../core/key.js';
import { advisoryKey } from './advisory-key.js';

/** The caller's own connection, in a transaction: a `Client` or `PoolClient` of pg, or what has such a method. */
export interface TransactionClient {
  query(text: string, values: unknown[]): Promise<{ readonly rows: readonly object[] }>;
}

export interface PostgresTransactionLockOptions {
  /** Longest wait, in ms. 0 tries once; Infinity waits in the database until it is granted. @default 5000 */
  readonly waitMs?: number;
  /** `shared`: beside others who share it. @default 'exclusive' */
  readonly mode?: 'exclusive' | 'shared';
}

const FIELDS: ReadonlySet<string> = new Set<keyof PostgresTransactionLockOptions>(['waitMs', 'mode']);
/**
 * First and longest pause between the tries of a waiter with a bounded wait, doubled each time, in
 * ms.
 */
const POLL_MS = { first: 10, last: 100 };
// The same in all statements of one transaction, and in no two statements that are one each.
const BEGAN = 'transaction_timestamp()::text AS began';

/**
 * Locks resources until the caller's transaction ends, by commit or by rollback: there is nothing
 * to release, to renew or to lose, and a pooler that gives each transaction a connection does no
 * harm. Several are taken in one order of all callers, so that they are never wanted in circles.
 * Locks of `postgresSession()` with the same full names exclude these; locks in rows do not.
 * @throws LockBusyError, LockWaitTimeoutError: the transaction can go on; InvalidOptionError, also
 * without a transaction
 */
export async function lockInTransaction(
  client: TransactionClient,
  resources: string | readonly string[],
  options: PostgresTransactionLockOptions = {},
): Promise<void> {
  checkFields('options', options, FIELDS);
  const { waitMs = 5_000, mode = 'exclusive' } = options;
  checkTime('waitMs', waitMs, 0);
  checkOneOf('mode', mode, ['exclusive', 'shared']);
  const keyed = namesOf(resources).map((name) => ({ name, key: advisoryKey(name) }));
  const suffix = mode === 'shared' ? '_shared' : '';
  const clock = suspendAware(systemClock);
  const wait = { waitMs, deadline: clock.now() + waitMs, clock };
  const { began } = await rowOf(client, `SELECT ${BEGAN}`, []);
  // By key, since two names may share one. MySQL has its own: its locks are rows in the order of their names, and the server waits.
  for (const { name, key } of keyed.sort((a, b) => (a.key < b.key ? -1 : 1))) {
    const lock = `pg_${waitMs === Infinity ? '' : 'try_'}advisory_xact_lock${suffix}`;
    await acquireUntil(name, wait, async () => {
      const row = await rowOf(client, `SELECT ${lock}($1::bigint) AS got, ${BEGAN}`, [key]);
      if (row['began'] !== began) {
        throw new InvalidOptionError(
          'client',
          'in a transaction: BEGIN comes first',
          'a connection without one',
        );
      }
      return row['got'] !== false;
    });
  }
}

interface WaitDeadline {
  readonly waitMs: number;
  readonly deadline: number;
  readonly clock: Clock;
}

/** Asks until the answer is yes. */
async function acquireUntil(
  name: string,
  { waitMs, deadline, clock }: WaitDeadline,
  tryAcquire: () => Promise<boolean>,
): Promise<void> {
  let pauseMs = POLL_MS.first;
  while (!(await tryAcquire())) {
    if (waitMs === 0) throw new LockBusyError(name);
    const leftMs = deadline - clock.now();
    if (leftMs <= 0) throw new LockWaitTimeoutError(name, waitMs - leftMs);
    await sleep(clock, Math.min(leftMs, pauseMs * (0.5 + clock.random() / 2)));
    pauseMs = Math.min(pauseMs * 2, POLL_MS.last);
  }
}

async function rowOf(
  client: TransactionClient,
  text: string,
  values: unknown[],
): Promise<Readonly<Record<string, unknown>>> {
  const { rows } = await client.query(text, values);
  return rows[0] as Readonly<Record<string, unknown>>;
}

function namesOf(resources: string | readonly string[]): readonly string[] {
  if (typeof resources === 'string') return [checkName('resource', resources)];
  if (!Array.isArray(resources) || resources.length === 0)
    throw new InvalidOptionError('resources', 'a name, or a list of names that is not empty', resources);
  return resources.map((name, i) => checkName(`resources[${i}]`, name));
}
