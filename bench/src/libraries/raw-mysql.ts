import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createConnection, createPool, type PoolConnection, type ResultSetHeader } from 'mysql2/promise';
import { RAW_TABLE } from '../engines/prepare.js';
import { commandSent } from '../figures/commands.js';
import type { OpenLockOptions, OpenLock } from './open-lock.js';

const NOW = `TIMESTAMPDIFF(MICROSECOND, '1970-01-01', SYSDATE(6))`;
const MAKE = `INSERT IGNORE INTO ${RAW_TABLE} VALUES (?, '', 0)`;
const TAKE = `UPDATE ${RAW_TABLE} SET holder = ?, until_us = ${NOW} + ? WHERE resource = ? AND until_us <= ${NOW}`;
const GIVE = `UPDATE ${RAW_TABLE} SET holder = '', until_us = 0 WHERE resource = ? AND holder = ?`;
/** One for each waiting or holding caller. */
const CONNECTIONS = 100;
const WAIT_S = 3_600;

interface Grant {
  readonly key: string;
  readonly id: string;
}

/**
 * A lease in a row: one conditional UPDATE acquires it, repeated every `pollMs`, and one releases it; both prepared.
 */
export async function open({ url, leaseMs, pollMs }: OpenLockOptions): Promise<OpenLock<Grant>> {
  const client = await createConnection(url);
  const rows = new Map<string, Promise<unknown>>();
  const makeRow = (key: string): Promise<unknown> => {
    const made = client.execute(MAKE, [key]);
    rows.set(key, made);
    return made;
  };
  const changed = async (text: string, values: (string | number)[]): Promise<boolean> => {
    commandSent();
    const [{ affectedRows }] = await client.execute<ResultSetHeader>(text, values);
    return affectedRows === 1;
  };
  return {
    async acquire(key) {
      if (!rows.has(key)) await makeRow(key);
      const id = randomUUID();
      while (!(await changed(TAKE, [id, 1_000 * leaseMs, key]))) await sleep(pollMs);
      return { key, id };
    },
    release: ({ key, id }) => changed(GIVE, [key, id]),
    close: () => client.end(),
  };
}

interface HeldConnection {
  readonly key: string;
  readonly client: PoolConnection;
}

/** Named locks of the server (GET_LOCK): callers wait in the server, each on a connection of its own. */
export async function openNamed({ url }: OpenLockOptions): Promise<OpenLock<HeldConnection>> {
  const pool = createPool({ uri: url, connectionLimit: CONNECTIONS });
  return {
    async acquire(key) {
      const client = await pool.getConnection();
      commandSent();
      await client.execute('SELECT GET_LOCK(?, ?)', [key, WAIT_S]);
      return { key, client };
    },
    async release({ key, client }) {
      commandSent();
      await client.execute('SELECT RELEASE_LOCK(?)', [key]);
      client.release();
    },
    close: () => pool.end(),
  };
}
