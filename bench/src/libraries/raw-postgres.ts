import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { RAW_TABLE } from '../engines/prepare.js';
import { commandSent } from '../figures/commands.js';
import type { OpenLockOptions, OpenLock } from './open-lock.js';

const NOW = '(extract(epoch FROM clock_timestamp()) * 1000000)::bigint';
const MAKE = `INSERT INTO ${RAW_TABLE} VALUES ($1, '', 0) ON CONFLICT DO NOTHING`;
const TAKE = `UPDATE ${RAW_TABLE} SET holder = $2, until_us = ${NOW} + $3::bigint WHERE resource = $1 AND until_us <= ${NOW} RETURNING until_us`;
const GIVE = `UPDATE ${RAW_TABLE} SET holder = '', until_us = 0 WHERE resource = $1 AND holder = $2 RETURNING resource`;
/** One for each waiting or holding caller. */
const CONNECTIONS = 100;

interface Grant {
  readonly key: string;
  readonly id: string;
}

/**
 * A lease in a row: one conditional UPDATE acquires it, repeated every `pollMs`, and one releases it; both prepared.
 */
export async function open({ url, leaseMs, pollMs }: OpenLockOptions): Promise<OpenLock<Grant>> {
  const client = new pg.Client(url);
  await client.connect();
  const rows = new Map<string, Promise<unknown>>();
  const makeRow = (key: string): Promise<unknown> => {
    const made = client.query(MAKE, [key]);
    rows.set(key, made);
    return made;
  };
  const changed = async (name: string, text: string, values: unknown[]): Promise<boolean> => {
    commandSent();
    return (await client.query({ name, text, values })).rowCount === 1;
  };
  return {
    async acquire(key) {
      if (!rows.has(key)) await makeRow(key);
      const id = randomUUID();
      while (!(await changed('take', TAKE, [key, id, 1_000 * leaseMs]))) await sleep(pollMs);
      return { key, id };
    },
    release: ({ key, id }) => changed('give', GIVE, [key, id]),
    close: () => client.end(),
  };
}

interface HeldConnection {
  readonly key: string;
  readonly client: pg.PoolClient;
}

/** Advisory locks of sessions: callers wait in the server, each on a connection of its own, in arrival order. */
export async function openAdvisory({ url }: OpenLockOptions): Promise<OpenLock<HeldConnection>> {
  const pool = new pg.Pool({ connectionString: url, max: CONNECTIONS });
  const ask = (client: pg.PoolClient, name: string, key: string): Promise<unknown> => {
    commandSent();
    return client.query({ name, text: `SELECT ${name}(hashtextextended($1, 0))`, values: [key] });
  };
  return {
    async acquire(key) {
      const client = await pool.connect();
      await ask(client, 'pg_advisory_lock', key);
      return { key, client };
    },
    async release({ key, client }) {
      await ask(client, 'pg_advisory_unlock', key);
      client.release();
    },
    close: () => pool.end(),
  };
}
