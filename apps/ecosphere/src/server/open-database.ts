import { startMariadb } from 'bedrock-servers';
import { createConnection } from 'mysql2/promise';
import { randomUUID } from 'node:crypto';
import { reasonOf } from '../report/reason-of.js';
import { ENGINES } from './engines.js';
import { asServerError, ServerError } from './server.error.js';

/** A database with its description and its clean-up. */
export interface OpenDatabase {
  readonly url: string;
  /** Its location, for the title of a report: `on a MariaDB of this run`. */
  readonly label: string;
  readonly close: () => Promise<void>;
}

const CONNECT_MS = 5_000;

/**
 * An empty database, dropped at the end. It is on the server of the URL, else of MYSQL_URL, else on a started one.
 * Never touches tables of other users.
 * @throws ServerError
 */
export async function openDatabase(url?: string): Promise<OpenDatabase> {
  const started = url === undefined ? await asServerError(startMariadb({ shared: true })) : undefined;
  const server = url ?? started!.url;
  const name = `ecosphere_${randomUUID().slice(0, 8)}`;
  try {
    await execute(server, `create database ${name}`);
  } catch (error) {
    await started?.stop();
    throw error;
  }
  const own = new URL(server);
  own.pathname = `/${name}`;
  const { title, variable } = ENGINES.mysql;
  const isShared = started === undefined || started.source === 'environment';
  const place = started === undefined ? `the ${title} at ${own.host}` : `the ${title} of ${variable}`;
  return {
    url: own.href,
    label: `on ${isShared ? place : `a ${title} of this run`}`,
    close: async () => {
      // A server of this run is removed with its data. On another one, this failure must not hide the run's own.
      if (isShared) await execute(server, `drop database ${name}`).catch(() => undefined);
      await started?.stop();
    },
  };
}

async function execute(url: string, sql: string): Promise<void> {
  try {
    const connection = await createConnection({ uri: url, connectTimeout: CONNECT_MS });
    try {
      await connection.query({ sql, timeout: CONNECT_MS });
    } finally {
      connection.destroy();
    }
  } catch (error) {
    const { title } = ENGINES.mysql;
    throw new ServerError(`${title} at ${new URL(url).host} does not serve: ${reasonOf(error)}`, {
      cause: error,
    });
  }
}
