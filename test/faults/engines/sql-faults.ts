import { Bedrock, isLockError } from 'bedrock-lock';
import { eventually, liveness } from 'bedrock-testkit';
import { delay } from '../combination/delay.js';
import { COMMON_FAULTS } from './common-faults.js';
import type { PoolJob } from './contender-pool.js';
import type { Fault } from './fault.js';
import { MAX_CONNECTIONS, type SqlEngineFixture, type UserConnection } from './engine-fixture.js';
import { CALM, LEASE_MS, OPERATION_MS } from './settings.js';

/** What a newcomer waits for its lock: longer than a call to the server. */
const NEWCOMER_MS = OPERATION_MS * 1.5;
const STORM_MS = 2_000;
const USERS = 2;
const ROWS = 16;

/** Transactions of a user's have every connection that the server gives. The backends have theirs already, and need no more. */
const TAKEN: Fault<SqlEngineFixture> = {
  name: 'all connections taken by transactions of a user',
  brings: 'waits at most',
  ...CALM,
  async inject({ fixture, pool }) {
    const userConnections = await takeAllConnections(fixture);
    try {
      if ((await errorForNewBackend(fixture)) !== 'BACKEND_UNAVAILABLE')
        throw new Error('a connection was left');
      await pool.waitForAll();
      // The long hold that has just begun lasts for more than a lease: it ends with a renewal, or in a loss.
      await pool.waitForAll();
    } finally {
      await Promise.all(userConnections.map((connection) => connection.end()));
    }
  },
};

/** For so long that calls fail, and for so long that leases end. */
const STUCK: Fault<SqlEngineFixture> = {
  name: 'all connections of the backends stuck behind a transaction of a user',
  brings: 'losses or failures',
  variants: 2,
  async inject({ fixture, round }) {
    const user = await fixture.connect();
    for (const statement of fixture.lockAll) await user.query(statement);
    await delay(round % 2 === 0 ? OPERATION_MS * 1.5 : LEASE_MS * 2);
    await user.end();
  },
};

/**
 * 64 connections create, take, renew and remove many rows at a time, while users lock the same rows in the opposite
 * order. So users and backends deadlock, which no caller of the lock may notice.
 */
const STORM: Fault<SqlEngineFixture> = {
  name: 'deadlock storm: up to 64 connections, rows that come and go',
  options: { connections: 16, keepRowsMs: 20 },
  operationMs: 2_000,
  jobs: (resource) => {
    const resources = rowsOf(resource);
    const short: PoolJob = { resource, resources, tasks: ROWS, bodyMs: [0, 5] };
    const long: PoolJob = { ...short, bodyMs: [LEASE_MS / 2, LEASE_MS] };
    return [short, short, long, long];
  },
  async inject({ fixture, resource }) {
    const before = await fixture.deadLocks();
    let isOver = false;
    const users = Array.from({ length: USERS }, async () => {
      const user = await fixture.connect();
      while (!isOver) await lockSome(user, rowsOf(resource), fixture.lockRow);
      await user.end();
    });
    try {
      await delay(STORM_MS);
      // When two meet is chance, and the server counts them with a delay.
      await eventually('there is a deadlock', async () => (await fixture.deadLocks()) > before, {
        withinMs: 20_000,
      });
    } finally {
      isOver = true;
      await Promise.all(users);
    }
  },
};

export const SQL_FAULTS: readonly Fault<SqlEngineFixture>[] = [...COMMON_FAULTS, TAKEN, STUCK, STORM];

async function takeAllConnections(fixture: SqlEngineFixture): Promise<UserConnection[]> {
  const connections: UserConnection[] = [];
  for (let i = 0; i <= MAX_CONNECTIONS; i += 1) {
    const connection = await fixture.connect().catch(() => undefined);
    if (connection === undefined) break;
    connections.push(connection);
    await connection.query('BEGIN');
    await connection.query('SELECT 1');
  }
  return connections;
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
      await delay(1);
    }
  } catch {
    // It was this one that the server has ended.
  }
  await user.query('ROLLBACK');
}

/** The error of a backend that has no connection yet. @throws Error if it does not come in time */
async function errorForNewBackend(fixture: SqlEngineFixture): Promise<string | undefined> {
  const bedrock = new Bedrock({ backend: fixture.newBackend() });
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
