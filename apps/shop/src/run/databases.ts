import { createConnection } from 'mysql2/promise';

/** Of the two services, for one run. */
export interface Databases {
  readonly orders: string;
  readonly stock: string;
}

/** Removes them with all that is in them. */
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
