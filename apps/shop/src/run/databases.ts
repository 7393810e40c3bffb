import { createConnection } from 'mysql2/promise';

/** The databases of the two services, for one run. */
export interface Databases {
  readonly orders: string;
  readonly stock: string;
}

/** Drops the databases with all of their data. */
export async function dropDatabases(url: string, names: Databases): Promise<void> {
  const server = await createConnection({ uri: url, connectTimeout: 5_000 });
  try {
    for (const name of Object.values(names) as string[]) {
      await server.query(`DROP DATABASE IF EXISTS \`${name}\``);
    }
  } finally {
    await server.end();
  }
}
