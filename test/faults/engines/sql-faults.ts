import { Bedrock, isLockError } from 'bedrock-lock';
import { eventually, liveness } from 'bedrock-testkit';
import { pass } from '../combination/pass.js';
import { COMMON_FAULTS } from './common-faults.js';
import type { CrewJob } from './crew.js';
import type { Fault } from './fault.js';
import { MOST_CONNECTIONS, type SqlGround, type UserConnection } from './ground.js';
import { LEASE_MS, OPERATION_MS } from './terms.js';

/** What a newcomer waits for its lock: longer than a call to the server. */
const NEWCOMER_MS = OPERATION_MS * 1.5;
const STORM_MS = 2_000;
const USERS = 2;
const ROWS = 16;

/** Transactions of a user's have every connection that the server gives. The backends have theirs already, and need no more. */
const TAKEN: Fault<SqlGround> = {
  name: 'all connections taken by transactions of a user',
  brings: 'waits at most',
  // Nothing but the fault may cost a lease here: the server may stand still for longer than half of a short lease.
  leaseMs: 1_500,
  operationMs: 800,
  async strike({ ground, crew }) {
    const pool = await takeAll(ground);
    try {
      if ((await asNewcomer(ground)) !== 'BACKEND_UNAVAILABLE') throw new Error('a connection was left');
      await crew.allHold();
      // The long hold that has just begun lasts for more than a lease: it ends with a renewal, or in a loss.
      await crew.allHold();
    } finally {
      await Promise.all(pool.map((connection) => connection.end()));
    }
  },
};

/** For so long that calls fail, and for so long that leases end. */
const STUCK: Fault<SqlGround> = {
  name: 'all connections of the backends stuck behind a transaction of a user',
  brings: 'losses or failures',
  ways: 2,
  async strike({ ground, strikes }) {
    const user = await ground.connect();
    for (const statement of ground.lockAll) await user.query(statement);
    await pass(strikes % 2 === 0 ? OPERATION_MS * 1.5 : LEASE_MS * 2);
    await user.end();
  },
};

/**
 * Rows are made, taken, renewed many at a time and removed by 64 connections, while users lock the same rows in the opposite
 * order: so there are dead-locks, of users with the backends alone, and they are nobody's business.
 */
const STORM: Fault<SqlGround> = {
  name: 'deadlock storm: up to 64 connections, rows that come and go',
  options: { connections: 16, keepRowsMs: 20 },
  operationMs: 2_000,
  jobs: (resource) => {
    const resources = rowsOf(resource);
    const short: CrewJob = { resource, resources, tasks: ROWS, bodyMs: [0, 5] };
    const long: CrewJob = { ...short, bodyMs: [LEASE_MS / 2, LEASE_MS] };
    return [short, short, long, long];
  },
  async strike({ ground, resource }) {
    const before = await ground.deadLocks();
    let isOver = false;
    const users = Array.from({ length: USERS }, async () => {
      const user = await ground.connect();
      while (!isOver) await lockSome(user, rowsOf(resource), ground.lockRow);
      await user.end();
    });
    try {
      await pass(STORM_MS);
      // When two meet is chance, and the server counts them with a delay.
      await eventually('there is a deadlock', async () => (await ground.deadLocks()) > before, {
        withinMs: 20_000,
      });
    } finally {
      isOver = true;
      await Promise.all(users);
    }
  },
};

export const SQL_FAULTS: readonly Fault<SqlGround>[] = [...COMMON_FAULTS, TAKEN, STUCK, STORM];

async function takeAll(ground: SqlGround): Promise<UserConnection[]> {
  const taken: UserConnection[] = [];
  for (let i = 0; i <= MOST_CONNECTIONS; i += 1) {
    const connection = await ground.connect().catch(() => undefined);
    if (connection === undefined) break;
    taken.push(connection);
    await connection.query('BEGIN');
    await connection.query('SELECT 1');
  }
  return taken;
}

/** Names of the rows of a storm. */
function rowsOf(resource: string): string[] {
  return Array.from({ length: ROWS }, (_, i) => `${resource}:${10 + i}`);
}

/** A transaction of a user's that locks some rows, the last first, whatever its fate. */
async function lockSome(
  user: UserConnection,
  names: readonly string[],
  lockRow: (name: string) => string,
): Promise<void> {
  await user.query('BEGIN');
  try {
    for (const name of names.filter(() => Math.random() < 0.15).reverse()) {
      await user.query(lockRow(name));
      await pass(1);
    }
  } catch {
    // It was this one that the server has ended.
  }
  await user.query('ROLLBACK');
}

/** What somebody is told who has no connection yet. @throws Error when it is not told in time */
async function asNewcomer(ground: SqlGround): Promise<string | undefined> {
  const bedrock = new Bedrock({ backend: ground.newcomer() });
  try {
    const error = await liveness.within('the answer to a newcomer', NEWCOMER_MS + 200, () => {
      const asked = bedrock.mutex('newcomer').acquire({ waitMs: NEWCOMER_MS });
      return asked.then(() => undefined, (reason: unknown) => reason); // prettier-ignore
    });
    return isLockError(error) ? error.code : String(error);
  } finally {
    await bedrock.close({ graceMs: 0 });
  }
}
